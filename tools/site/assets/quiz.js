// A quiz on a reading page. The questions stand in the page as fields; what is right, and why, stands
// beside them as data. Each answer is told at once and may be tried again.
export function start(form) {
  const { questions, words } = JSON.parse(form.querySelector("script.answers").textContent);
  const solved = new Set();
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const question of questions) {
    const field = form.querySelector(`fieldset[data-id="${question.id}"]`);
    const reply = field.querySelector(".reply");
    field.querySelector("details.answer")?.remove();
    field.querySelector("button").addEventListener("click", () => {
      const why = (option) => field.querySelector(`template[data-why="${option}"]`)?.innerHTML ?? "";
      const { right, reasons } = judge(question, field, words, why);
      if (right === null) {
        reply.innerHTML = `<p>${reasons.join("</p><p>")}</p>`;
        return;
      }
      solved[right ? "add" : "delete"](question.id);
      reply.innerHTML =
        `<p class="${right ? "good" : "bad"}">${right ? "✓ " + words.right : "✗ " + words.wrong}</p>` +
        reasons.map((reason) => `<p>${reason}</p>`).join("");
      form.querySelector(".score").textContent = words.score.replace("{right}", solved.size).replace("{all}", questions.length);
    });
  }
}

function judge(question, field, words, why) {
  if (question.kind === "number") return judgeNumber(question, field.querySelector("input").value, words, why);
  if (question.kind === "order") {
    const places = [...field.querySelectorAll("select")].map((select) => [select.dataset.option, Number(select.value)]);
    if (new Set(places.map(([, place]) => place)).size < places.length) return { right: null, reasons: [words.places] };
    const order = places.sort((a, b) => a[1] - b[1]).map(([option]) => option);
    const right = order.every((option, i) => option === question.right[i]);
    return { right, reasons: [why(right ? "right" : "wrong") || (right ? order.map(why).join(" ") : why(order.find((option, i) => option !== question.right[i])))] };
  }
  const chosen = [...field.querySelectorAll("input:checked")].map((input) => input.value);
  if (!chosen.length) return { right: null, reasons: [words.choose] };
  const right = chosen.length === question.right.length && chosen.every((option) => question.right.includes(option));
  const reasons = chosen.map(why);
  if (!right && question.kind === "several" && chosen.every((option) => question.right.includes(option))) reasons.push(words.missing);
  return { right, reasons };
}

// «0,5» and «0.5» are the same number; «1.234,5» could be two numbers and is sent back.
function judgeNumber(question, written, words, why) {
  const text = written.replace(/[\s\u00a0\u2009\u202f]/g, "").replace("−", "-");
  if (!text) return { right: null, reasons: [words.choose] };
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text)) return { right: null, reasons: [words.unreadable] };
  const near = (value) => Math.abs(value - question.answer) <= question.margin + 1e-9 * Math.abs(question.answer);
  const right = near(Number(text.replace(",", ".")));
  if (!right && /[.,]\d{3}$/.test(text) && near(Number(text.replace(/[.,]/, "")))) return { right: null, reasons: [words.unreadable] };
  return { right, reasons: [why(right ? "right" : "wrong")] };
}
