// A quiz on a reading page. The questions stand in the page as fields; what is right, and why, stands
// beside them as data. Each answer is told at once and may be tried again. Answers are judged as
// lib/bloque/quiz judges them in a notebook (questions.py, reading.py), and in the same words.
export function start(form) {
  const { questions, words } = JSON.parse(form.querySelector("script.answers").textContent);
  const solved = new Set();
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const question of questions) {
    const field = form.querySelector(`fieldset[data-id="${question.id}"]`);
    const reply = field.querySelector(".reply");
    field.querySelector("details.answer")?.remove();
    field.querySelector("button").addEventListener("click", () => {
      const { right, reasons } = judge(question, field, words);
      if (right === null) {
        reply.innerHTML = `<p>${reasons.join("</p><p>")}</p>`;
        return;
      }
      solved[right ? "add" : "delete"](question.id);
      reply.innerHTML =
        `<p class="${right ? "good" : "bad"}">${right ? "✓ " + words.right : "✗ " + words.wrong}</p>` +
        reasons.map((reason) => `<p>${reason}</p>`).join("");
      form.querySelector(".score").textContent = fill(words.score, { right: solved.size, total: questions.length });
    });
  }
}

function judge(question, field, words) {
  const why = (option) => field.querySelector(`template[data-why="${option}"]`)?.innerHTML ?? "";
  if (question.kind === "number") {
    const written = field.querySelector("input").value;
    if (!written) return { right: null, reasons: [words.choose] };
    const { right, fault } = judgeNumber(question, written);
    return { right, reasons: [fault ? fill(words.number[fault], { written: escaped(written.trim()) }) : why(right ? "right" : "wrong")] };
  }
  if (question.kind === "order") {
    const places = [...field.querySelectorAll("select")].map((select) => [select.dataset.option, Number(select.value)]);
    if (new Set(places.map(([, place]) => place)).size < places.length) return { right: null, reasons: [words.places] };
    const order = places.sort((a, b) => a[1] - b[1]).map(([option]) => option);
    const misplaced = order.find((option, i) => option !== question.right[i]);
    const right = misplaced === undefined;
    if (why("right")) return { right, reasons: [why(right ? "right" : "wrong")] };
    if (right) return { right, reasons: order.map(why) };
    const option = field.querySelector(`select[data-option="${misplaced}"]`).closest("label").querySelector("span").innerHTML;
    return { right, reasons: [fill(words.first_misplaced, { option }), why(misplaced)] };
  }
  const chosen = [...field.querySelectorAll("input:checked")].map((input) => input.value);
  if (!chosen.length) return { right: null, reasons: [words.choose] };
  const right = chosen.length === question.right.length && chosen.every((option) => question.right.includes(option));
  const reasons = chosen.map(why);
  if (!right && chosen.every((option) => question.right.includes(option))) reasons.push(words.missing);
  return { right, reasons };
}

const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const escaped = (written) => written.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

// ── reading.py, rule by rule; tests/quiz runs one table of spellings through both ──

const SPACES = /[ \u00a0\u2009\u202f'’]/g;
const NUMBER = /^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]+)?$/i;
const POWER_OF_TEN = /[·×x*]10(\^\(?[+-]?[0-9]+\)?|[+-][0-9]+)$/;

// «0,5» and «0.5» are the same number; «1.234,5» could be two numbers and is sent back, with the name of its fault.
export function readNumber(written) {
  const bare = written
    .trim()
    .replace(SPACES, "")
    .replace(/[−–]/g, "-")
    .replace(POWER_OF_TEN, (_, power) => "e" + power.replace(/[\^()]/g, ""));
  if (!bare) return { fault: "empty" };
  if (bare.replace(/[^.,]/g, "").length > 1) return { fault: "two_marks" };
  const number = NUMBER.test(bare) ? Number(bare.replace(",", ".")) : NaN;
  return Number.isFinite(number) ? { number } : { fault: "unreadable" };
}

// What «1.234» would be if its mark grouped thousands; null when it cannot.
function asThousands(written) {
  const bare = written.trim().replace(SPACES, "");
  return /^[1-9][0-9]{0,2}[.,][0-9]{3}$/.test(bare) ? Number(bare.replace(/[.,]/, "")) : null;
}

export function judgeNumber(question, written) {
  const { number, fault } = readNumber(written);
  if (fault) return { right: null, fault };
  const near = (value) => Math.abs(value - question.answer) <= question.margin + 1e-9 * Math.abs(question.answer);
  if (near(number)) return { right: true };
  const thousands = asThousands(written);
  return thousands !== null && near(thousands) ? { right: null, fault: "thousands" } : { right: false };
}
