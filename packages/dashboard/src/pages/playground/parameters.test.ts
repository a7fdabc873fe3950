import assert from 'node:assert/strict'
import { test } from 'tap'
import { readParameters, toMembers } from './parameters.ts'

test('empty fields leave the model’s defaults', async () => {
  const { problems, ...parameters } = readParameters({ temperature: ' ', maxTokens: '' })
  assert.deepEqual([problems, toMembers(parameters)], [{}, {}])
})

test('numbers are sent, also 0 and with a decimal comma', async () => {
  assert.deepEqual(toMembers(readParameters({ temperature: '0', maxTokens: ' 20 ' })), {
    temperature: 0,
    max_tokens: 20
  })
  assert.deepEqual(toMembers(readParameters({ temperature: '0,7', maxTokens: '' })), { temperature: 0.7 })
})

test('anything else is a problem of its field, and is not sent', async () => {
  for (const [temperature, maxTokens] of [
    ['2.1', '0'],
    ['-1', '1.5'],
    ['warm', 'many'],
    ['NaN', '1000001']
  ] as const) {
    const { problems, ...parameters } = readParameters({ temperature, maxTokens })
    assert.deepEqual(Object.keys(problems), ['temperature', 'maxTokens'])
    assert.deepEqual(toMembers(parameters), {})
  }
})
