// Tells the server when the animation was ready, and how many pictures a second it plays.
(async () => {
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  while (document.documentElement.dataset.ready !== "yes") await wait(5);
  const opened = performance.now();
  const { player } = window.arenite;
  const rate = async () => {
    player.seek(player.film.begin);
    player.play(true);
    const stamps = [];
    const until = performance.now() + 4000;
    await new Promise((done) => {
      const step = (now) => {
        stamps.push(now);
        if (performance.now() < until) requestAnimationFrame(step);
        else done();
      };
      requestAnimationFrame(step);
    });
    return (1000 * (stamps.length - 1)) / (stamps.at(-1) - stamps[0]);
  };
  const plain = await rate();
  const way = player.state.time - player.film.begin;
  player.look.forces = true;
  player.look.mode = 3;
  const all = await rate();
  await fetch("/done", { method: "POST", body: JSON.stringify({ opened, plain, all, way }) });
})();
