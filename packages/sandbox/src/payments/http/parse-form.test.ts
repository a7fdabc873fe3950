import assert from 'node:assert/strict'
import fc from 'fast-check'
import Stripe from 'stripe'
import { test } from 'tap'
import { FormError, type FormFields, parseForm } from './parse-form.ts'

/** Encodes parameters with the real client. */
async function encode(params: object): Promise<string> {
  let body = ''
  const httpClient = Stripe.createFetchHttpClient(async (_url: string | URL | Request, init?: RequestInit) => {
    body = String(init?.body)
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  })
  const stripe = new Stripe('sk_test_none', { httpClient, telemetry: false })
  await stripe.rawRequest('POST', '/v1/anything', { ...params })
  return body
}

/** Names that brackets can contain. */
const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[[\]]/.test(text))
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean())
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3 })
  )
}))

/** Converts values to text and arrays to objects by index, as a form does. */
function asForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asForm(inner)]))
}

function plain(fields: FormFields): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : plain(value)])
  )
}

test('forms of the real client are read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 4 }), async (params) => {
      assert.deepEqual(plain(parseForm(await encode(params))), asForm(params))
    }),
    { numRuns: 200 }
  )
})

test('invalid text only ever throws a FormError', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-c[\]=&%+0-9]*$/)), (form) => {
      try {
        parseForm(form)
      } catch (error) {
        if (!(error instanceof FormError)) throw error
      }
    })
  )
})

test('empty brackets append, the last value wins, and plus is a space', async () => {
  assert.deepEqual(plain(parseForm('a[]=x&a[]=y+z&b=1&b=2&c')), { a: { 0: 'x', 1: 'y z' }, b: '2', c: '' })
})

test('forms with too many fields are refused before parsing', async () => {
  assert.throws(() => parseForm('a[]=&'.repeat(200_000)), FormError)
})

test('forms cannot reach prototypes', async () => {
  const fields = parseForm('__proto__[polluted]=yes&constructor[prototype][polluted]=yes')
  assert.equal(Object.getPrototypeOf(fields), null)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('malformed and contradictory names are refused', async () => {
  for (const form of ['a=%zz', 'a[b=1', '[a]=1', 'a[b]c=1', 'a=1&a[b]=2', 'a[b]=1&a=2', `a${'[b]'.repeat(20)}=1`]) {
    assert.throws(() => parseForm(form), FormError, form.slice(0, 20))
  }
})
