// The two charts of the first page. Their numbers are in the page, and in a table below them.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("chart-data").textContent);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const percent = new Intl.NumberFormat(data.locale, { maximumFractionDigits: 1 });
  const short = new Intl.NumberFormat(data.locale, { notation: "compact" });

  const draw = (id, type, values, said, axis, addresses = []) => {
    const canvas = document.getElementById(id);
    if (!canvas) return null;
    const { color: ink, borderTopColor: line, outlineColor: color } = getComputedStyle(canvas.parentElement);
    return new Chart(canvas, {
      type,
      data: {
        labels: data.days,
        datasets: [{
          label: canvas.dataset.title, data: values, borderColor: color, backgroundColor: color, borderWidth: 2,
          borderRadius: 3, pointRadius: values.length > 31 ? 0 : 2, tension: 0.25, spanGaps: true, clip: 6,
        }],
      },
      options: {
        animation: still ? false : { duration: 250 },
        maintainAspectRatio: false,
        onClick: (_event, [at]) => { if (at && addresses[at.index]) location.assign(addresses[at.index]); },
        onHover: (event, [at]) => { event.native.target.style.cursor = at && addresses[at.index] ? "pointer" : ""; },
        interaction: { mode: "index", intersect: false },
        plugins: { legend: { display: false }, tooltip: { callbacks: { label: (at) => said(at.dataIndex) } } },
        scales: {
          x: { grid: { display: false }, border: { color: line }, ticks: { color: ink, maxRotation: 0, autoSkipPadding: 16 } },
          y: { beginAtZero: true, grid: { color: line }, border: { display: false }, ticks: { color: ink, maxTicksLimit: 5, callback: axis.tick }, ...axis.limits },
        },
      },
    });
  };

  let charts = [];
  const paint = () => {
    charts.forEach((chart) => chart?.destroy());
    charts = [
      draw("volume-chart", "bar", data.amounts.map(Number), (n) => `${data.shown[n]} · ${data.counts[n]}`, {
        tick: (value) => short.format(value), limits: {},
      }, data.addresses),
      draw("acceptance-chart", "line", data.rates.map((rate) => (rate === null ? null : Number(rate))),
        (n) => `${percent.format(data.rates[n])}%`, { tick: (value) => `${percent.format(value)}%`, limits: { max: 100 } }),
    ];
  };

  // The library is large: it is read when somebody comes near the charts.
  const library = Object.assign(document.createElement("script"), { src: document.currentScript.dataset.library });
  library.addEventListener("load", () => {
    paint();
    document.addEventListener("theme", paint);
  });
  const near = new IntersectionObserver(([first]) => {
    if (!first.isIntersecting) return;
    near.disconnect();
    document.head.append(library);
  }, { rootMargin: "300px" });
  near.observe(document.getElementById("acceptance-chart"));
})();
