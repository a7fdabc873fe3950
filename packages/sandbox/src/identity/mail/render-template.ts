import { escapeHtml, unescapeHtml } from '../../mailbox/html.ts'
import type { TemplateValues } from './templates.ts'

export interface RenderedMail {
  subject: string
  html: string
}

/**
 * Fills in a template. It may have `{{ .Name }}`, `{{ .Data.name }}` and, not nested, `{{ if eq .A .B }}…{{ else }}…{{ end }}`.
 * Values are escaped for their place, as in Go's html/template: as text, or in the query of a link.
 *
 * @throws Error that names another action of Go's template language
 */
export function renderTemplate(template: string, values: TemplateValues): RenderedMail {
  const chosen = template.replace(
    /\{\{ if eq (\S+) (\S+) \}\}(.*?)(?:\{\{ else \}\}(.*?))?\{\{ end \}\}/gs,
    (_action, left: string, right: string, same: string, other = '') =>
      isSame(readVariable(left, values), readVariable(right, values)) ? same : other
  )
  const html = chosen.replace(/\{\{ *(.*?) *\}\}/gs, (_action, name: string, offset: number) => {
    const value = readVariable(name, values)
    const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    return escapeHtml(isInQuery(chosen.slice(0, offset)) ? encodeURIComponent(text) : text)
  })
  return { subject: unescapeHtml(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '').trim(), html }
}

/** Values of different types fail in Go; here they only differ. */
const isSame = (left: unknown, right: unknown): boolean => left === right

/** @param name such as `.Email` or `.Data.name` */
function readVariable(name: string, values: TemplateValues): unknown {
  const [, variable = '', member] = /^\.(\w+)(?:\.(\w+))?$/.exec(name) ?? []
  if (variable === 'Data' && member !== undefined) {
    return Object.hasOwn(values.Data, member) ? values.Data[member] : undefined
  }
  if (!Object.hasOwn(values, variable) || member !== undefined) {
    throw new Error(`{{ ${name} }} is not supported in mail templates here.`)
  }
  return values[variable as keyof TemplateValues]
}

function isInQuery(before: string): boolean {
  return /\bhref="[^"]*\?[^"]*$/.test(before)
}
