import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'tap'
import { readReportedKey } from './read-reported-key.ts'

const read = (pasted: string) => {
  const data = new FormData()
  data.set('key', pasted)
  return readReportedKey(data)
}

test('a pasted key is found by its value, its digest or its id', async () => {
  const digest = hash('sha256', 'anything')
  for (const [pasted, values] of [
    ['  tg_abc123\n', { value: 'tg_abc123' }],
    ['"tgm_abc123"', { value: 'tgm_abc123' }],
    ['Bearer tg_abc123', { value: 'tg_abc123' }],
    [digest.toUpperCase(), { hash: digest }],
    ['0190b5c2-5f3e-7a54-9d0e-2b6a4f1c8e77', { id: '0190b5c2-5f3e-7a54-9d0e-2b6a4f1c8e77' }]
  ] as const) {
    assert.deepEqual(read(pasted), { ok: true, values }, pasted)
  }
})

test('text around a key, and nothing at all, are refused before they are sent', async () => {
  for (const pasted of ['', '   ', 'the key is tg_abc123', 'x'.repeat(101), `tg_${'x'.repeat(500)}`]) {
    assert.equal(read(pasted).ok, false, pasted)
  }
})
