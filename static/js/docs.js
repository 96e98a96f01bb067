// Comforts that a guide does without: code is copied by a button, and a chosen language is chosen everywhere.
const KEPT = "docs-language";

for (const block of document.querySelectorAll("main pre")) {
  const frame = document.createElement("div"), button = document.createElement("button");
  frame.className = "copied";
  button.type = "button";
  button.textContent = document.body.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.innerText);
    button.textContent = document.body.dataset.copied;
    setTimeout(() => { button.textContent = document.body.dataset.copy; }, 2000);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

function choose(language) {
  for (const tab of document.querySelectorAll(`.tabs > input[data-language="${language}"]`)) tab.checked = true;
}

for (const tab of document.querySelectorAll(".tabs > input")) {
  tab.addEventListener("change", () => {
    const before = tab.nextElementSibling.getBoundingClientRect().top;
    localStorage.setItem(KEPT, tab.dataset.language);
    choose(tab.dataset.language);
    scrollBy(0, tab.nextElementSibling.getBoundingClientRect().top - before);
  });
}
choose(localStorage.getItem(KEPT) ?? "sh");
