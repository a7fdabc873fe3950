import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { readEvents } from './read-events.ts'

async function* cut(bytes: Uint8Array, places: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const place of [...places].sort((one, other) => one - other)) {
    yield bytes.subarray(from, Math.max(from, place))
    from = Math.max(from, place)
  }
  yield bytes.subarray(from)
}

test('events do not depend on how the bytes are split into chunks', async () => {
  const stream = ': comment\ndata: {"a":"é—🚦"}\n\nevent: x\r\ndata:second\r\n\r\ndata: [DONE]\n\n'
  const bytes = new TextEncoder().encode(stream)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), async (places) => {
      const events: string[] = []
      for await (const event of readEvents(cut(bytes, places))) events.push(event)
      assert.deepEqual(events, ['{"a":"é—🚦"}', 'second', '[DONE]'])
    })
  )
})
