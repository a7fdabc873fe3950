/** A value of a form: text, or the fields in its brackets. Arrays are objects with indexes as names. */
export type FormValue = string | FormFields

export interface FormFields {
  [name: string]: FormValue
}

/** Thrown for an invalid form; `message` says why. */
export class FormError extends Error {
  override readonly name = 'FormError'
}

const maxDepth = 16
/** Far more than any call needs. Parsing time grows faster than the number of fields. */
const maxFields = 1000

/**
 * Parses `application/x-www-form-urlencoded` as Stripe's clients write it: `a[b][0]=c` is the value `c` at `a`, `b`, `0`;
 * `a[]=c` is the next element of `a`. If a name repeats, the last value counts. The objects have no prototype.
 *
 * @throws FormError for too many fields, broken percent-encoding or brackets, or a name that is both text and object
 */
export function parseForm(form: string): FormFields {
  const fields = emptyFields()
  const pairs = form.split('&')
  if (pairs.length > maxFields) throw new FormError('Too many parameters')
  for (const pair of pairs) {
    if (pair === '') continue
    const end = pair.indexOf('=')
    const name = decode(end === -1 ? pair : pair.slice(0, end))
    put(fields, pathOf(name), end === -1 ? '' : decode(pair.slice(end + 1)), name)
  }
  return fields
}

function put(fields: FormFields, path: readonly string[], value: string, name: string): void {
  let place = fields
  for (const [depth, part] of path.entries()) {
    const key = part === '' ? String(Object.keys(place).length) : part
    const present = place[key]
    if (depth === path.length - 1) {
      if (typeof present === 'object') throw new FormError(`Invalid parameter: ${name} is given as text and as a hash`)
      place[key] = value
    } else if (present === undefined) {
      const next = emptyFields()
      place[key] = next
      place = next
    } else if (typeof present === 'string') {
      throw new FormError(`Invalid parameter: ${name} is given as text and as a hash`)
    } else {
      place = present
    }
  }
}

/** `a[b][]` → `a`, `b` and the empty text. */
function pathOf(name: string): string[] {
  const start = name.indexOf('[')
  if (start === -1) return [name]
  const brackets = name.slice(start)
  if (start === 0 || !/^(\[[^[\]]*\])+$/.test(brackets)) throw new FormError(`Invalid parameter name: ${name}`)
  const path = [name.slice(0, start), ...brackets.slice(1, -1).split('][')]
  if (path.length > maxDepth) throw new FormError(`Invalid parameter name: ${name.slice(0, 100)} is nested too deeply`)
  return path
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new FormError('Invalid percent-encoding in the request')
  }
}

function emptyFields(): FormFields {
  return Object.create(null)
}
