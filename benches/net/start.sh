#!/bin/sh
# Builds the program as it was before the redesign, in target/start: what today's is compared with in pairs and twins.
# Another commit: benches/net/start.sh COMMIT
set -eu
cd "$(dirname "$0")/../.."
commit=${1:-$(cat benches/net/start.commit)}
if [ ! -d target/start/tree ]; then
    mkdir -p target/start
    git clone --quiet --no-checkout . target/start/tree
fi
git -C target/start/tree fetch --quiet origin
git -C target/start/tree checkout --quiet --detach "$commit"
cargo build --quiet --release --manifest-path target/start/tree/Cargo.toml --target-dir target/start
echo "target/start/release/arenite is $commit"
