import { escapeHtml, unescapeHtml } from '../../mailbox/html.ts'
import type { TemplateValues } from './templates.ts'

export interface RenderedMail {
  subject: string
  html: string
}

/**
 * Fills in a template. Values are escaped for their place, as in Go's html/template: as text, or in the query of a link.
 */
export function renderTemplate(template: string, values: TemplateValues): RenderedMail {
  const html = template.replace(/\{\{ *\.(\w+) *\}\}/g, (_action, name: keyof TemplateValues, offset: number) => {
    const value = values[name]
    return escapeHtml(isInQuery(template.slice(0, offset)) ? encodeURIComponent(value) : value)
  })
  return { subject: unescapeHtml(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '').trim(), html }
}

function isInQuery(before: string): boolean {
  return /\bhref="[^"]*\?[^"]*$/.test(before)
}
