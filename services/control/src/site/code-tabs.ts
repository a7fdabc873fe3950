import { card, segment, segments } from './class-names.ts'
import { type Html, html } from './html.ts'
import type { Snippets } from './snippets.ts'

const languages = [
  ['curl', 'curl'],
  ['python', 'Python'],
  ['node', 'Node.js']
] as const

/** A button that copies a text. Without scripts it is not shown. */
export const copyButton = (text: string, label: string): Html => button(html`data-copy="${text}"`, label)

const button = (copied: Html, label: string): Html =>
  html`<button type="button" hidden ${copied} aria-label="${label}" class="min-h-8 rounded-md px-2 text-[0.8125rem] font-medium text-ink-soft hover:bg-sunken hover:text-ink">Copy</button>`

/** What the code of each language prints, and what is to know about it. */
export interface CodeOutput {
  readonly printed: Snippets
  readonly note: Html
}

/**
 * Code in several languages. Radio buttons choose one, without scripts: see site.css.
 *
 * @param output shown below the code of each language
 */
export function codeTabs(
  snippets: Readonly<Record<keyof Snippets, Html | string>>,
  caption: string,
  output: CodeOutput | null = null
): Html {
  return html`<div class="code-tabs ${card} h-full overflow-hidden">
<div class="flex items-center justify-between gap-3 border-b border-line px-3 py-2"><fieldset class="min-w-0"><legend class="sr-only">${caption}</legend><div class="${segments}">${languages.map(
    ([id, name], index) =>
      html`<label class="${segment}"><input type="radio" name="language" value="${id}"${index === 0 && html` checked`} class="absolute opacity-0">${name}</label>`
  )}</div></fieldset>
${languages.map(([id, name]) => html`<div data-language="${id}">${button(html`data-copy-code="code-${id}"`, `Copy the ${name} code`)}</div>`)}</div>
${languages.map(
  ([id]) =>
    html`<div data-language="${id}" class="code-panel"><pre tabindex="0" role="region" aria-label="Code" class="overflow-x-auto px-4 py-4 font-mono text-[0.8125rem] leading-relaxed"><code id="code-${id}">${snippets[id]}</code></pre>${output !== null && writeOutput(output.printed[id])}</div>`
)}
${output !== null && html`<p class="border-t border-line px-4 py-3 text-sm text-ink-soft">${output.note}</p>`}</div>`
}

const writeOutput = (printed: string): Html =>
  html`<div class="grow border-t border-line bg-sunken px-4 py-3"><p class="text-xs text-ink-soft">Example output</p><pre tabindex="0" role="region" aria-label="Example output" class="mt-1 overflow-x-auto font-mono text-[0.8125rem] leading-relaxed text-ink-soft"><code>${printed}</code></pre></div>`
