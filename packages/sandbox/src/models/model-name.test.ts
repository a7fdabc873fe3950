import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { parseModelName } from './model-name.ts'

/** A plain model name of a provider or of Ollama. */
const plainName = fc.stringMatching(/^[a-z0-9][a-z0-9._:/@ -]{0,40}$/)

const ending = fc.oneof(
  fc.constant({}),
  fc.record({ status: fc.integer({ min: 400, max: 599 }) }),
  fc.constant({ hang: true as const }),
  fc.constant({ garbage: true as const }),
  fc.record({ 'flood-mb': fc.integer({ min: 1, max: 10_000 }) }),
  fc.record({ 'reset-after': fc.nat(1_000_000_000) }),
  fc.record({ 'end-after': fc.nat(1_000_000_000) }),
  fc.record({ 'stall-after': fc.nat(1_000_000_000) })
)
const others = fc.record(
  {
    'retry-after': fc.nat(86_400),
    'first-byte-ms': fc.nat(3_600_000),
    'no-usage': fc.constant(true as const),
    'pace-ms': fc.nat(3_600_000),
    'cached-tokens': fc.nat(1_000_000_000),
    'reasoning-tokens': fc.nat(1_000_000),
    'think-ms': fc.nat(3_600_000),
    'bills-aborted': fc.constant(true as const),
    'odd-usage': fc.constantFrom('missing', 'null', 'text', 'fraction', 'negative', 'zero', 'none', 'outside'),
    'odd-answer': fc.constantFrom('lower-report', 'filtered', 'searches-zero'),
    'odd-count': fc.constantFrom('hang', 'zero', 'one'),
    'report-tokens': fc.nat(1_000_000_000),
    every: fc.integer({ min: 1, max: 1_000_000 })
  },
  { requiredKeys: [] }
)
const written = fc
  .tuple(ending, others)
  .map(([a, b]) => ({ ...a, ...b }))
  .chain((behaviour) =>
    fc.record({
      behaviour: fc.constant(behaviour),
      parts: fc.shuffledSubarray(
        Object.entries(behaviour).map(([name, value]) => (value === true ? name : `${name}=${value}`)),
        { minLength: Object.keys(behaviour).length }
      )
    })
  )

test('every combination of directives is parsed, in any order', async () => {
  fc.assert(
    fc.property(plainName, written, (model, { behaviour, parts }) => {
      const parsed = parseModelName([model, ...parts].join('+'))
      assert.ok(parsed.valid)
      assert.equal(parsed.model, model)
      assert.deepEqual({ ...parsed.behaviour }, behaviour)
    })
  )
})

test('a plain name has no directives', async () => {
  fc.assert(
    fc.property(plainName, (model) => {
      assert.deepEqual(parseModelName(model), { valid: true, model, behaviour: {} })
    })
  )
})

test('the parser never throws, and an accepted name starts with the model', async () => {
  const directive = fc.constantFrom('status', 'hang', 'every', 'pace-ms', 'constructor', '__proto__', '')
  const part = fc.oneof(
    fc.string(),
    fc.tuple(directive, fc.string()).map(([name, text]) => `${name}=${text}`),
    directive
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const name = parts.join('+')
      const parsed = parseModelName(name)
      if (parsed.valid) assert.ok(parsed.model.length > 0 && name.startsWith(parsed.model))
      else assert.ok(parsed.problem.length > 0)
    })
  )
})

for (const [name, problem] of [
  ['', /empty/],
  ['+hang', /empty/],
  ['m+', /"" is not a directive/],
  ['m+hangs', /"hangs" is not a directive/],
  ['m+toString', /"toString" is not a directive/],
  ['m+hang=1', /"hang" alone/],
  ['m+status', /from 400 to 599/],
  ['m+status=', /from 400 to 599/],
  ['m+status=200', /from 400 to 599/],
  ['m+status=503.5', /from 400 to 599/],
  ['m+status=5e2', /from 400 to 599/],
  ['m+pace-ms=-1', /from 0 to/],
  ['m+every=0', /from 1 to/],
  ['m+pace-ms=1+pace-ms=1', /given twice/],
  ['m+odd-usage=odd', /one of missing, null/],
  ['m+odd-usage', /one of missing, null/],
  ['m+hang+garbage', /hang and garbage cannot be combined/],
  ['m+reset-after=1+status=500', /cannot be combined/]
] as const) {
  test(`"${name}" is refused, with a reason`, async () => {
    const parsed = parseModelName(name)
    assert.ok(!parsed.valid)
    assert.match(parsed.problem, problem)
  })
}
