// The pages of payment links: the company's colour, copying a code, and going on when the payment has.
"use strict";

const { color, state } = document.body.dataset;
const POLL_MS = 5000;

// The ink that is easier to read on a colour, as the card page chooses it.
function inkOn(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#0d141b" : "#ffffff";
}

if (/^#[0-9a-f]{6}$/i.test(color ?? "")) {
  document.body.style.setProperty("--brand", color);
  document.body.style.setProperty("--on-brand", inkOn(color));
  document.body.classList.add("branded");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.done;
});

// A payer who wants to pay twice by going back gets a fresh form.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

async function look() {
  const answer = await fetch(location.href, { redirect: "manual" });
  const moved = answer.type === "opaqueredirect";
  if (moved || (answer.ok && !(await answer.text()).includes(`data-state="${state}"`))) location.reload();
}

if (state === "OPEN" || state === "PREPARING") setInterval(() => { if (!document.hidden) look().catch(() => {}); }, POLL_MS);
