import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

const complete = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }
const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
const large = 'x'.repeat(8 * 1024 * 1024)

test('request bodies', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const address = control.url

  /** @returns the status and the error code */
  async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<string> {
    const answer = await fetch(`${address}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body
    })
    const { error } = (await answer.json()) as { error?: { code: string } }
    return [answer.status, error?.code].filter((part) => part !== undefined).join(' ')
  }

  await t.test('a compressed body is read like any other', async () => {
    for (const [encoding, encode] of Object.entries(encoders)) {
      const email = `${encoding}@example.com`
      assert.equal(await post(encode(JSON.stringify({ ...complete, email })), { 'content-encoding': encoding }), '200')
      assert.equal(await post(encode('{'), { 'content-encoding': encoding }), '400 invalid_json')
    }
  })

  await t.test('bodies that decode to more than the limit, or cannot be decoded, are refused', async () => {
    const body = JSON.stringify(complete)
    for (const [encoding, encode] of Object.entries(encoders)) {
      const headers = { 'content-encoding': encoding }
      assert.equal(await post(encode(Buffer.alloc(4 * 1024 * 1024)), headers), '413 request_too_large', encoding)
      for (const broken of [
        encode(body).subarray(0, -5),
        Buffer.from(body),
        Buffer.concat([encode(body), Buffer.from('x')])
      ]) {
        assert.equal(await post(broken, headers), '400 invalid_request', encoding)
      }
    }
    for (const encoding of ['gzip, br', 'compress']) {
      assert.equal(await post(gzipSync(body), { 'content-encoding': encoding }), '415 unsupported_media_type')
    }
    assert.equal(await post(large, { 'content-encoding': 'gzip' }), '413 request_too_large')
  })

  await t.test('a connection that breaks within a compressed body is cleaned up', async () => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    const half = gzipSync(JSON.stringify(complete))
    socket.write(
      'POST /api/auth/register HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n' +
        `content-length: ${half.length + 10}\r\n\r\n`
    )
    socket.write(half)
    await once(socket, 'ready')
    socket.destroy()
    const connections = () =>
      new Promise<number>((resolve) => control.app.server.getConnections((_error, count) => resolve(count)))
    while ((await connections()) > 1) await new Promise(setImmediate)
    assert.equal(await post(JSON.stringify({ ...complete, email: 'last@example.com' })), '200')
  })

  await t.test('every client that sends too much gets the answer', async (t) => {
    for (let time = 0; time < 4; time++) assert.equal(await post(large), '413 request_too_large')
    for (let time = 0; time < 5; time++) {
      assert.equal(await post(large, { 'content-type': 'text/plain' }), '415 unsupported_media_type')
    }
    const raw = connect(Number(new URL(address).port), '127.0.0.1')
    raw.write(
      `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${large.length}\r\n\r\n`
    )
    raw.write(large)
    assert.match(await text(raw), /^HTTP\/1\.1 413 .*"code":"request_too_large"/s)
    const curl = findProgram(['curl'])
    if (!need(t, 'curl', curl)) return
    const file = join(t.testdir(), 'large')
    writeFileSync(file, large)
    for (const extra of [[], ['-H', 'Expect:'], ['-H', 'Transfer-Encoding: chunked', '-H', 'Expect:']]) {
      for (let time = 0; time < 5; time++) {
        const { stdout } = await promisify(execFile)(curl, [
          ...['-sS', '-w', ' %{http_code}', '-H', 'content-type: application/json', ...extra],
          ...['--data-binary', `@${file}`, `${address}/api/auth/register`]
        ])
        assert.match(stdout, /"code":"request_too_large"}} 413$/, extra.join(' '))
      }
    }
  })
})
