import assert from 'node:assert/strict'
import { test } from 'tap'
import { StripeApiError } from '../errors.ts'
import { clearable, fields, flag, integer, list, metadata, oneOf, optional, text } from './params.ts'
import { readParams } from './read-params.ts'

const Params = fields({
  name: text,
  count: optional(integer),
  isOn: optional(flag),
  size: optional(oneOf('small', 'large')),
  note: clearable(text),
  items: optional(list(fields({ price: text, quantity: optional(integer) }))),
  metadata
})

test('the schema decides what text is converted to', async () => {
  assert.deepEqual(
    readParams(
      Params,
      'name=a&count=-3&isOn=true&size=large&note=&items[1][price]=q&items[0][price]=p&items[0][quantity]=2'
    ),
    {
      name: 'a',
      count: -3,
      isOn: true,
      size: 'large',
      note: null,
      items: [{ price: 'p', quantity: 2 }, { price: 'q' }]
    }
  )
  assert.deepEqual(readParams(Params, 'name=1&metadata[a]=1&metadata[b]='), { name: '1', metadata: { a: '1', b: '' } })
  assert.deepEqual(readParams(Params, 'name=1&metadata=&items='), { name: '1', metadata: null, items: [] })
})

const refusals: [form: string, code: string | undefined, param: string][] = [
  ['', 'parameter_missing', 'name'],
  ['name=', 'parameter_invalid_empty', 'name'],
  ['name=a&other=1', 'parameter_unknown', 'other'],
  ['name=a&__proto__[x]=1', 'parameter_unknown', '__proto__'],
  ['name=a&toString=1', 'parameter_unknown', 'toString'],
  ['name=a&count=1.5', 'parameter_invalid_integer', 'count'],
  ['name=a&count=1e3', 'parameter_invalid_integer', 'count'],
  ['name=a&count=9999999999999999', undefined, 'count'],
  ['name=a&isOn=yes', undefined, 'isOn'],
  ['name=a&size=huge', undefined, 'size'],
  ['name=a&items=x', undefined, 'items'],
  ['name=a&items[x][price]=p', undefined, 'items'],
  ['name=a&items[0]=p', undefined, 'items[0]'],
  ['name=a&items[0][quantity]=1', 'parameter_missing', 'items[0][price]'],
  ['name=a&items[0][price]=', 'parameter_invalid_empty', 'items[0][price]'],
  ['name=a&items[0][price][x]=1', undefined, 'items[0][price]'],
  ['name[x]=a', undefined, 'name'],
  ['name=a&metadata=x', undefined, 'metadata'],
  [`name=a&metadata[k]=${'x'.repeat(501)}`, undefined, 'metadata[k]']
]

for (const [form, code, param] of refusals) {
  test(`${form.slice(0, 40)} is refused at ${param}`, async () => {
    assert.throws(
      () => readParams(Params, form),
      (error: unknown) => {
        assert.ok(error instanceof StripeApiError)
        const { type, code: actualCode, param: actualParam } = error.body
        assert.deepEqual([error.status, type, actualCode, actualParam], [400, 'invalid_request_error', code, param])
        return true
      }
    )
  })
}
