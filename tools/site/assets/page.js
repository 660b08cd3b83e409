// What a reading page does beyond being read: theme and language remembered, explorers woken when
// scrolled to, quizzes that answer. Without it the page is still whole.
const memory = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* private window: not remembered */ } },
};
const root = document.documentElement;
root.classList.add("js");
memory.set("bloque.language", root.lang);

const themeButton = document.querySelector("button.theme");
function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
themeButton?.setAttribute("aria-pressed", String(isDark()));
themeButton?.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  memory.set("bloque.theme", root.dataset.theme);
  themeButton.setAttribute("aria-pressed", String(isDark()));
});

const figures = document.querySelectorAll("figure.explorer[data-manifest]");
if (figures.length) {
  const wake = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      wake.unobserve(target);
      import(new URL("static.js", import.meta.url)).then(({ mount }) => mount(target, target.dataset.manifest));
    }
  }, { rootMargin: "300px" });
  figures.forEach((figure) => wake.observe(figure));
}

// What scrolls sideways must scroll from the keyboard too; what does not must not stop the Tab key.
const wide = document.querySelectorAll("pre, table, .katex-display, .output, main > figure");
const reach = () => wide.forEach((part) => {
  if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible") part.tabIndex = 0;
  else part.removeAttribute("tabindex");
});
reach();
addEventListener("load", reach);
addEventListener("resize", reach);
addEventListener("toggle", reach, true); // a folded part has no width until it opens

const quizzes = document.querySelectorAll("form.quiz");
if (quizzes.length) import(new URL("quiz.js", import.meta.url)).then(({ start }) => quizzes.forEach(start));
