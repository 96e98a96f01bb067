// Time left on a deadline, by the clock of the company, and how much room a message still has.
"use strict";

(() => {
  const opened = Date.now();
  const written = (seconds) => {
    const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
    if (days) return `${days} d ${hours} h`;
    return hours ? `${hours} h ${minutes} min` : `${minutes} min`;
  };
  const tick = () => {
    for (const one of document.querySelectorAll("[data-left]")) {
      one.textContent = written(Math.max(0, Number(one.dataset.left) - (Date.now() - opened) / 1000));
    }
  };
  setInterval(tick, 15000);

  for (const one of document.querySelectorAll("[data-counts]")) {
    const field = document.getElementById(one.dataset.counts);
    const count = () => { one.textContent = `${field.value.length} / ${one.dataset.most}`; };
    field.addEventListener("input", count);
    count();
  }
})();
