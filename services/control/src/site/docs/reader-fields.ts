import { html } from '../html.ts'

const field = 'min-h-9 w-full min-w-0 rounded-lg border border-line-strong bg-surface px-2.5 text-sm'

/**
 * Where signed-in readers choose the values of the examples: a model of their plan, and a key. Control knows only
 * digests of keys, so readers paste one; it stays in their tab. The script shows the fields on pages with examples.
 */
export const readerFields = html`<form data-reader hidden aria-label="Values of the examples" class="mt-5 grid max-w-3xl gap-3 rounded-xl border border-line bg-sunken p-3 sm:grid-cols-2">
<label class="text-[0.8125rem] font-medium">Model<select name="model" class="${field} mt-1"></select></label>
<label class="text-[0.8125rem] font-medium">API key<input name="key" type="text" autocomplete="off" spellcheck="false" placeholder="Paste a key" aria-describedby="reader-note" class="${field} mt-1 font-mono"></label>
<p id="reader-note" class="text-[0.8125rem] text-ink-soft sm:col-span-2">The examples use them. The key stays in this tab. <a href="/dashboard/keys?create=1" class="font-medium text-accent underline underline-offset-4">Create a key</a></p>
</form>`
