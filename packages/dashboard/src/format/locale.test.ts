import assert from 'node:assert/strict'
import { test } from 'tap'

test('counts, shares, changes, durations and sizes all have the notation of the reader', async () => {
  // Modules read the languages when they are loaded.
  const languages = Object.getOwnPropertyDescriptor(globalThis.navigator, 'languages')
  Object.defineProperty(globalThis.navigator, 'languages', { value: ['de-DE'], configurable: true })
  Object.assign(globalThis, { document: {} })
  try {
    const [{ formatCount }, { formatChange, formatShare }, { formatBytes }, { formatMs }] = await Promise.all([
      import('./number.ts'),
      import('./ratio.ts'),
      import('./bytes.ts'),
      import('../pages/requests/describe-request.ts')
    ])
    assert.deepEqual(
      [
        formatCount(13337),
        formatShare(0.0068),
        formatChange(-0.28),
        formatMs(1900),
        formatMs(12_000),
        formatBytes(1536)
      ],
      ['13.337', '0,7\u00a0%', '-28\u00a0%', '1,9 s', '12 s', '1,5 KiB']
    )
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
    if (languages === undefined) Reflect.deleteProperty(globalThis.navigator, 'languages')
    else Object.defineProperty(globalThis.navigator, 'languages', languages)
  }
})
