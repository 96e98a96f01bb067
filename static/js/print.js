// A page that is meant for paper, and the button that sends it there.
"use strict";

document.querySelector("[data-print]")?.addEventListener("click", () => window.print());
