import assert from 'node:assert/strict'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { concealedJson } from './conceal.ts'

const renamed = { from: ['llama-3', 'other-8b'], to: 'fast' }
const host = 'models.internal:8000'
const written = (text: string): string => JSON.parse(concealedJson({ text }, { secret: null, renamed, host })!).text

t.test('a client gets its own name of the model, whatever the provider writes around the other one', async () => {
  for (const [text, expected] of [
    ['The model `llama-3` is too small.', 'The model `fast` is too small.'],
    ['llama-3', 'fast'],
    ['Use llama-3. Or not.', 'Use fast. Or not.'],
    ['"/data/llama-3" and meta/llama-3:latest', '"fast" and fast'],
    ['us.meta.llama-3-70b-2024-08-06 cannot see images', 'fast cannot see images'],
    ['model=ollama/llama-3, llama-3', 'model=fast, fast'],
    ['https://example.com/models/llama-3 says no', 'https:fast says no'],
    ['mallama-3 and llama-33 are others', 'mallama-3 and llama-33 are others'],
    ['LLAMA-3 or Other-8B of this route', 'fast or fast of this route'],
    ['nothing', 'nothing']
  ] as const) {
    assert.equal(written(text), expected)
  }
})

t.test('a client gets no id of the operator’s account', async () => {
  for (const [text, expected] of [
    ['No access for org-AbC123dEf456.', 'No access for [hidden].'],
    ['Organization ORG-ABC123DEF456 is over', 'Organization [hidden] is over'],
    ['dial tcp models.internal:8000: connect (MODELS.internal:8000/v1)', 'dial tcp [hidden] connect ([hidden])'],
    ['in organization `org_01hxyz9876` on', 'in organization `[hidden]` on'],
    ['Project `proj_JMo3Q9spNIEWhSxu` has no access', 'Project `[hidden]` has no access'],
    ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/x is not', '[hidden] is not'],
    ['`projects/740989871600/locations/us` is', '`[hidden]/locations/us` is'],
    ['https://acme-prod.openai.azure.com/openai', 'https://[hidden]/openai'],
    [
      'POST http://Models.internal:8000/v1/chat?sig=s3cret failed, see https://example.com/a',
      'POST [hidden] failed, see https://example.com/a'
    ]
  ] as const) {
    assert.equal(written(text), expected)
  }
})

t.test('an error that cannot be written without a name or the credential is not written', async () => {
  const hidden = { secret: 's3cret', renamed }
  assert.equal(concealedJson({ 'llama-3': 1 }, hidden), null)
  assert.equal(concealedJson({ a: [{ 'org-AbC123dEf456': 1 }] }, hidden), null)
  assert.equal(concealedJson({ a: 'a s3cret' }, hidden), null)
  assert.notEqual(concealedJson({ a: 'a secret' }, hidden), null)
})

t.test('for any text, the name of the upstream’s model does not stay as a word, and the time is linear', async () => {
  const words = fc.constantFrom('llama-3', 'llama-', '3', 'a', '.', ':', '/', '-', ' ', '"', '\n', 'é', 'llama-3-8b')
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      assert.doesNotMatch(written(parts.join('')), /(?<![A-Za-z0-9])llama-3(?![A-Za-z0-9])/)
    }),
    propertyRuns(500)
  )
  // Quadratic work would take minutes.
  for (const long of ['llama-3-', 'a', 'org-', 'projects/', 'arn:aws:', 'x.']) written(long.repeat(100_000))
})
