import type { Reading } from '../forms/form.tsx'
import { onlyProblems, textOf } from '../forms/read-fields.ts'

export interface EndpointForm {
  url: string
  description: string
  /** Null for all types. */
  event_types: string[] | null
}

/** Reads the form of an endpoint. The API checks where the address leads. */
export function readEndpointForm(data: FormData): Reading<EndpointForm> {
  const url = textOf(data, 'url').trim()
  const types = data.getAll('event_types').filter((type) => typeof type === 'string')
  const isSelected = textOf(data, 'type_choice') === 'some'
  const problems = onlyProblems({
    url: problemOfUrl(url),
    event_types: isSelected && types.length === 0 ? 'Select at least one type, or choose all events.' : null
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    values: { url, description: textOf(data, 'description').trim(), event_types: isSelected ? types : null }
  }
}

function problemOfUrl(url: string): string | null {
  if (url === '') return 'Enter the address of your server.'
  return URL.canParse(url) && /^https?:\/\//i.test(url)
    ? null
    : 'Enter an address such as https://example.com/webhooks.'
}
