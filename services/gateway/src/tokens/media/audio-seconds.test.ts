import assert from 'node:assert/strict'
import { audioTokens } from '@tollgate/sandbox/models/media-tokens.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { mp3, wav } from '../../testing/media.ts'
import { mutate, mutations } from '../../testing/mutations.ts'
import { maxAudioSeconds } from './audio-seconds.ts'

const secondsOf = (bytes: Uint8Array) => maxAudioSeconds(Buffer.from(bytes).toString('base64'))
const id3 = (bytes: number) =>
  Buffer.concat([
    Buffer.from('ID3\x03\0\0', 'latin1'),
    Buffer.from([0, 0, bytes >> 7, bytes & 0x7f]),
    Buffer.alloc(bytes)
  ])

test('a WAV lasts as long as its header and its bytes say', async () => {
  for (const options of [{}, { channels: 2, perSecond: 44_100 }, { codec: 7, bits: 8 }, { codec: 3, bits: 32 }]) {
    const seconds = secondsOf(wav(2, options))!
    assert.ok(seconds >= 2 && seconds < 2.01, `${seconds}`)
  }
})

test('the lowest rate in a WAV counts; a WAV without a rate is not measured', async () => {
  assert.ok(secondsOf(wav(2, { bytesPerSecond: 16 }))! >= 2000)
  assert.ok(secondsOf(wav(2, { perSecond: 1, bytesPerSecond: 1e6 }))! >= 2)
  assert.equal(secondsOf(wav(2, { bytesPerSecond: 0 })), null)
})

test('the lowest of several formats in a WAV counts; a WAV without sound is not measured', async () => {
  const [fast, slow] = [wav(0), wav(2, { perSecond: 8, bits: 8 })]
  const format = (bytes: Buffer) => bytes.subarray(12, 36)
  const both = (...formats: Buffer[]) => Buffer.concat([slow.subarray(0, 12), ...formats, slow.subarray(36)])
  assert.ok(secondsOf(both(format(fast), format(slow)))! >= 2)
  assert.ok(secondsOf(both(format(slow), format(fast)))! >= 2)
  assert.equal(secondsOf(both(format(fast), format(slow)).subarray(0, 50)), null)
})

test('an MP3 of the lowest rate lasts no longer than assumed', async () => {
  const seconds = secondsOf(mp3(10))!
  assert.ok(seconds >= 10 && seconds < 11, `${seconds}`)
  assert.ok(secondsOf(Buffer.concat([id3(10_000), mp3(10)]))! >= 10, 'with pictures in front')
})

test('a format without a rate, or with hours in a few bytes, is not measured', async () => {
  for (const bytes of [
    Buffer.from('fLaC\0\0\0\x22'),
    Buffer.concat([id3(100), Buffer.from('fLaC\0\0\0\x22')]),
    Buffer.from('OggS'),
    wav(2, { codec: 0x55 }),
    Buffer.concat([Buffer.from([0xff, 0xf3, 0x08, 0xc0]), Buffer.alloc(100)]),
    Buffer.alloc(1000),
    Buffer.alloc(0)
  ]) {
    assert.equal(secondsOf(bytes), null)
  }
  assert.equal(maxAudioSeconds(`${wav(1).toString('base64').slice(0, 20)}\n`), null)
})

test('any changed recording is measured without an error, and never too short', async () => {
  const recording = fc.constantFrom(wav(0.05), mp3(0.5), Buffer.concat([id3(50), mp3(0.2)]))
  fc.assert(
    fc.property(recording, mutations, (bytes, changes) => {
      const data = mutate(bytes, changes).toString('base64')
      const seconds = maxAudioSeconds(data)
      if (seconds === null) return
      const tokens = audioTokens({ type: 'input_audio', input_audio: { data, format: 'mp3' } })
      assert.ok(tokens <= Math.ceil(seconds * 10), `${tokens} > ${seconds} s`)
    }),
    { numRuns: 3000 }
  )
})
