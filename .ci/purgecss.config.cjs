// The rules of Tabler that our pages use: a browser reads the whole of a style sheet before it paints anything.
const colors = "(blue|azure|indigo|purple|pink|red|orange|yellow|lime|green|teal|cyan|gray|secondary|muted)";
const words = (text) => text.match(/[\w-]+/g) ?? [];

// The classes of a template, also those inside of its tags, without the texts of its pages.
const classes = (template) => {
  const shown = template.replace(/\{% (translate|blocktranslate)[^%]*%\}/g, " ");
  const within = shown.match(/\{%.*?%\}/gs) ?? [];
  const outside = shown.replace(/\{[%{].*?[%}]\}/gs, " ").match(/class="[^"]*"/g) ?? [];
  return words([...within, ...outside].join(" "));
};

module.exports = {
  content: [
    "templates/**/*.html", "static/js/*.js", "gateway/dashboard/**/*.py",
    // Policies are written in Markdown, and allauth has pages of its own.
    { extension: "tags", raw: "a b blockquote body button code dd dl dt em fieldset form h1 h2 h3 h4 hr html i img input label legend li ol optgroup option p pre progress select small strong summary table tbody td textarea tfoot th thead tr ul" },
  ],
  extractors: [{ extensions: ["html"], extractor: classes }],
  dynamicAttributes: ["data-bs-theme", "aria-current", "aria-invalid", "open", "hidden", "disabled", "checked", "readonly", "multiple", "size", "type"],
  // Names that a template puts together.
  safelist: [new RegExp(`^(bg|text)-${colors}(-lt|-fg)?$`), /^alert-/],
};
