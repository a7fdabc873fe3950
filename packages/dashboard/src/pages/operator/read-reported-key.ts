import type { Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'

export type ReportedKey = { readonly value: string } | { readonly hash: string } | { readonly id: string }

const keyValue = /^tgm?_/
const sha256 = /^[0-9a-f]{64}$/i
/** The longest id and value that the API takes. */
const maxLength = { id: 100, value: 500 }

/**
 * Tells what was pasted: a key itself, the SHA-256 of one, or the id of one. Quotes and a `Bearer` before it are
 * dropped.
 */
export function readReportedKey(data: FormData): Reading<ReportedKey> {
  const pasted = textOf(data, 'key')
    .trim()
    .replace(/^["'`]+|["'`]+$/g, '')
    .replace(/^bearer\s+/i, '')
    .trim()
  const problem = (text: string): Reading<ReportedKey> => ({ ok: false, problems: { key: text } })
  if (pasted === '') return problem('Paste the key, its id, or its SHA-256.')
  if (/\s/.test(pasted)) return problem('Paste only the key, without the text around it.')
  if (keyValue.test(pasted)) {
    return pasted.length > maxLength.value
      ? problem('This is too long for a key.')
      : { ok: true, values: { value: pasted } }
  }
  if (sha256.test(pasted)) return { ok: true, values: { hash: pasted.toLowerCase() } }
  if (pasted.length > maxLength.id) return problem('This is no key, id or SHA-256. Keys begin with tg_ or tgm_.')
  return { ok: true, values: { id: pasted } }
}
