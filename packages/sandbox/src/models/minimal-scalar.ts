type Schema = Readonly<Record<string, unknown>>

/** A number that satisfies a schema's limits and `multipleOf`: 0 if possible, else a number near a limit. */
export function minimalNumber(type: 'integer' | 'number', schema: Schema): number {
  const step = asNumber(schema.multipleOf, type === 'integer' ? 1 : 0)
  const [above, below] = [asNumber(schema.exclusiveMinimum, -Infinity), asNumber(schema.exclusiveMaximum, Infinity)]
  const min = Math.max(asNumber(schema.minimum, -Infinity), above)
  const max = Math.min(asNumber(schema.maximum, Infinity), below)
  const near =
    step === 0
      ? [min, max, min + 1, max - 1, min / 2 + max / 2]
      : [Math.ceil(min / step), Math.ceil(min / step) + 1, Math.floor(max / step), Math.floor(max / step) - 1].map(
          (multiple) => multiple * step
        )
  const fits = (value: number) =>
    Number.isFinite(value) && value >= min && value <= max && value > above && value < below
  return [0, ...near].find(fits) ?? 0
}

const maxLength = 1_000_000

/** A string of the format or the length (at max a million) that a schema asks for. */
export function minimalString(schema: Schema): string {
  const known = typeof schema.format === 'string' ? formats[schema.format] : undefined
  if (known !== undefined) return known
  return 'sandbox'
    .padEnd(Math.min(asNumber(schema.minLength, 0), maxLength), 'x')
    .slice(0, asNumber(schema.maxLength, Infinity))
}

const formats: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000'
}

function asNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}
