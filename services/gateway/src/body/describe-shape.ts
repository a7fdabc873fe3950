import { kind, type Shape } from './shape.ts'

const kindNames = new Map<number, string>([
  [kind.text, 'a string'],
  [kind.number, 'a number'],
  [kind.boolean, 'true or false'],
  [kind.null, 'null'],
  [kind.object, 'an object'],
  [kind.array, 'an array']
])
/** More allowed texts are not listed. */
const maxListed = 8

/**
 * What a value must be, in words: `must be true, false or null, not a string`.
 *
 * @param found the kind of a value whose kind is wrong
 */
export function describeShape(shape: Shape, found?: number): string {
  const { kinds } = shape
  const has = (bit: number) => (kinds & bit) !== 0
  const forms = [
    ...(has(kind.boolean) ? ['true', 'false'] : []),
    ...(has(kind.text) ? textForms(shape) : []),
    ...(has(kind.number) ? [numberForm(shape)] : []),
    ...(has(kind.object) ? ['an object'] : []),
    ...(has(kind.array) ? [arrayForm(shape)] : []),
    ...(has(kind.null) ? ['null'] : [])
  ]
  const wrong = found === undefined || has(found) ? '' : `, not ${kindNames.get(found)}`
  return `must be ${listed(forms)}${wrong}`
}

function textForms({ texts, minLength }: Shape): string[] {
  if (texts !== null && texts.length <= maxListed) return texts.map((text) => JSON.stringify(text))
  return [minLength > 0 ? 'a string that is not empty' : 'a string']
}

function numberForm({ isInteger, minimum, maximum }: Shape): string {
  const what = isInteger ? 'a whole number' : 'a number'
  const [hasMinimum, hasMaximum] = [Number.isFinite(minimum), Number.isFinite(maximum)]
  if (hasMinimum && hasMaximum) return `${what} from ${minimum} to ${maximum}`
  if (hasMinimum) return `${what} of at least ${minimum}`
  return hasMaximum ? `${what} of at most ${maximum}` : what
}

function arrayForm({ minItems }: Shape): string {
  if (minItems === 0) return 'an array'
  return `an array with at least ${minItems} item${minItems === 1 ? '' : 's'}`
}

const listed = (forms: readonly string[]): string =>
  forms.length < 2 ? forms.join() : `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`
