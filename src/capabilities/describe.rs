//! The capability table as shown in the documents.

use super::{Feature, Model, Support};

/// Returns the table in Markdown: one row per feature, with numbers that refer to the reasons below.
pub fn describe() -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let mut text = String::from("| feature |");
    for model in Model::LISTED {
        text += &format!(" {} |", model.name());
    }
    text += &format!("\n|---|{}\n", "---|".repeat(Model::LISTED.len()));
    for feature in Feature::ALL {
        // Features of one dimension only have the cells of that dimension.
        let (dimension, only) = match [2, 3].map(|n| feature.elsewhere(n).is_none()) {
            [true, false] => (2, ", plane"),
            [false, true] => (3, ", space"),
            _ => (3, ""),
        };
        text += &format!("| `{}`{only} |", feature.name());
        for model in Model::LISTED {
            let support = feature.support(model, dimension);
            let word = match support {
                Support::Yes => "yes",
                Support::NotYet(_) | Support::Without(_) => "not yet",
                Support::No(_) => "no",
            };
            text += &format!(" {word}");
            if let Some(reason) = support.reason() {
                let known = reasons.iter().position(|known| *known == reason);
                let number = known.unwrap_or_else(|| {
                    reasons.push(reason);
                    reasons.len() - 1
                });
                text += &format!(" ({})", number + 1);
            }
            text += " |";
        }
        text += "\n";
    }
    text += "\n";
    for (k, reason) in reasons.iter().enumerate() {
        text += &format!("{}. {reason}\n", k + 1);
    }
    text
}
