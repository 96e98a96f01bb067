// The slider beside an amount: moving it writes the amount, and the price follows.
"use strict";

for (const slider of document.querySelectorAll("[data-sets]")) {
  const field = document.getElementById(slider.dataset.sets);
  const most = Number(slider.max);
  slider.hidden = false;
  slider.value = Number(field.value.replace(",", ".")) || 0;
  slider.addEventListener("input", () => {
    field.value = slider.value >= most ? slider.dataset.most : String(Math.round(slider.value));
  });
}
