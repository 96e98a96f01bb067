// The brand colour and the company's name, in the preview as they are typed.
"use strict";

(() => {
  const name = document.querySelector('[data-brand="name"]');
  const color = document.querySelector('[data-brand="color"]');
  const ours = "#0b5cb0";

  // The ink that is easier to read on the colour, as the hosted page chooses it.
  const inkOn = (hex) => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = parseInt(hex.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#0d141b" : "#ffffff";
  };
  const paint = () => {
    const chosen = color.value.trim() || ours;
    if (/^#[0-9a-f]{6}$/i.test(chosen)) {
      document.querySelectorAll("[data-brand-fill]").forEach((part) => part.setAttribute("fill", chosen));
      document.querySelectorAll("[data-brand-ink]").forEach((part) => part.setAttribute("fill", inkOn(chosen)));
    }
    document.querySelectorAll("[data-brand-text]").forEach((part) => { part.textContent = name.value.slice(0, 34); });
  };
  name.addEventListener("input", paint);
  color.addEventListener("input", paint);
})();
