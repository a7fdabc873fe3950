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

/** Code in several languages. Radio buttons choose one, without scripts: see site.css. */
export function codeTabs(snippets: Readonly<Record<keyof Snippets, Html | string>>, caption: string): Html {
  return html`<div class="code-tabs ${card} h-full overflow-hidden">
<div class="flex items-center justify-between gap-3 border-b border-line px-3 py-2"><fieldset class="min-w-0"><legend class="sr-only">${caption}</legend><div class="${segments}">${languages.map(
    ([id, name], index) =>
      html`<label class="${segment}"><input type="radio" name="language" value="${id}"${index === 0 && html` checked`} class="absolute opacity-0">${name}</label>`
  )}</div></fieldset>
${languages.map(([id, name]) => html`<div data-language="${id}">${button(html`data-copy-code="code-${id}"`, `Copy the ${name} code`)}</div>`)}</div>
${languages.map(
  ([id]) =>
    html`<pre data-language="${id}" tabindex="0" role="region" aria-label="Code" class="overflow-x-auto px-4 py-4 font-mono text-[0.8125rem] leading-relaxed"><code id="code-${id}">${snippets[id]}</code></pre>`
)}
</div>`
}
