import { escapeHtml } from '@tollgate/service/text.ts'

/** HTML that needs no escaping. Only {@link html} and {@link trustHtml} make it. */
class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

export type Html = Markup

/** What a template can contain. Text and numbers are escaped; `null`, `undefined` and `false` are left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

/** Characters that turn or isolate the direction of the text after them. They could reorder the page around a name. */
const directionControls = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Removes characters that turn the direction of the page after a text. */
export const withoutDirections = (text: string): string => text.replace(directionControls, '')

/** Escapes a text for elements and quoted attributes, and removes characters that turn the direction of the page. */
export const escapeText = (text: string): string => escapeHtml(withoutDirections(text))

/** Tag of a template that escapes every interpolated value, unless it is HTML from another such template. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += write(value) + (strings[index + 1] ?? '')
  return new Markup(text)
}

/** Marks a text as HTML. Only for the output of a library or function that has escaped it. */
export const trustHtml = (text: string): Html => new Markup(text)

function write(value: HtmlValue): string {
  if (value instanceof Markup) return value.toString()
  if (Array.isArray(value)) return value.map(write).join('')
  if (value === null || value === undefined || value === false) return ''
  return escapeText(String(value))
}
