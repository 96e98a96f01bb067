// The countdown of the checkout. Without it the page shows the time that was left when it was opened.
"use strict";

const left = document.getElementById("left");
const ends = performance.now() + Number(left.dataset.seconds) * 1000;

function tick() {
  const seconds = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
  left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  left.classList.toggle("soon", seconds < 60);
  if (seconds === 0) {
    clearInterval(timer);
    location.reload();
  }
}

const timer = setInterval(tick, 250);
tick();
