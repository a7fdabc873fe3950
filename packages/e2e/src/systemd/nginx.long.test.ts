import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as plainRequest, type RequestListener } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import type { Test } from 'tap'
import t from 'tap'
import { readShipped } from './unit-file.ts'

const nginx = findProgram(['nginx'])
const openssl = findProgram(['openssl'])

/** Starts a server in the place of a gateway or control. @returns its port */
async function startBehind(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

interface Front {
  get(path: string, body?: string): Promise<IncomingMessage>
  readonly httpPort: number
}

/** Starts nginx with the shipped file, in front of two gateways and control. */
async function startFront(t: Test, ports: { gateways: [number, number]; control: number }): Promise<Front> {
  const directory = t.testdir()
  const { certFile, keyFile } = makeCertificate(directory)!
  const [httpPort, tlsPort] = [await freePort(), await freePort()]
  const site = readShipped('nginx.conf')
    .replace('127.0.0.1:8080', `127.0.0.1:${ports.gateways[0]}`)
    .replace('127.0.0.1:8081', `127.0.0.1:${ports.gateways[1]}`)
    .replace('127.0.0.1:3000', `127.0.0.1:${ports.control}`)
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${tlsPort} ssl;`)
    .replaceAll('/var/log/nginx', directory)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certFile};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${keyFile};`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`
  )
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/nginx.pid; worker_processes 1; error_log stderr crit; events {}
     http { ${paths.join(' ')} ${site} }`
  )
  const child = spawn(nginx!, ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  t.teardown(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  const ca = readFileSync(certFile)
  const front: Front = {
    httpPort,
    async get(path, body) {
      const method = body === undefined ? 'GET' : 'POST'
      const sent = request({ host: '127.0.0.1', port: tlsPort, path, method, ca, agent: false }).end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return answer
    }
  }
  for (;;) {
    if (child.exitCode !== null) throw new Error('nginx did not start')
    try {
      await text(await front.get('/livez'))
      return front
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
      await delay(20)
    }
  }
}

const refuse: RequestListener = (_request, response) => {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"code":"draining"}}')
}
const control: RequestListener = (request, response) => {
  response.end(`control ${request.url} for ${request.headers.host} from ${request.headers['x-forwarded-for']}`)
}

t.test('nginx of the systemd installation', async (t) => {
  if (!need(t, 'nginx', nginx) || !need(t, 'OpenSSL', openssl)) return

  t.test(
    'streams pass TLS chunk by chunk, and a request that a stopping gateway refuses gets the next one',
    async (t) => {
      let finish = () => {}
      const serve: RequestListener = async (request, response) => {
        const body = await text(request)
        response.write(`data: ${body}\n\n`)
        finish = () => response.end('data: [DONE]\n\n')
      }
      const front = await startFront(t, {
        gateways: [await startBehind(t, refuse), await startBehind(t, serve)],
        control: await startBehind(t, control)
      })
      // Several, because nginx takes the gateways in turn.
      for (const body of ['one', 'two', 'three']) {
        const answer = await front.get('/v1/chat/completions', body)
        const [first] = (await once(answer, 'data')) as [Buffer]
        assert.equal(first.toString(), `data: ${body}\n\n`)
        finish()
        assert.equal(await text(answer), 'data: [DONE]\n\n')
      }
    }
  )

  t.test('everything else reaches control, with the address of the client; HTTP is redirected', async (t) => {
    const front = await startFront(t, {
      gateways: [await startBehind(t, refuse), await startBehind(t, refuse)],
      control: await startBehind(t, control)
    })
    assert.equal(await text(await front.get('/api/x?y=z')), 'control /api/x?y=z for 127.0.0.1 from 127.0.0.1')
    const call = plainRequest({ host: '127.0.0.1', port: front.httpPort, path: '/keys?a=b', agent: false }).end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    answer.resume()
    assert.deepEqual([answer.statusCode, answer.headers.location], [301, 'https://127.0.0.1/keys?a=b'])
  })

  t.test('without any gateway, clients learn when to retry', async (t) => {
    const gone = [await freePort(), await freePort()] as [number, number]
    const front = await startFront(t, { gateways: gone, control: await startBehind(t, control) })
    const answer = await front.get('/v1/chat/completions', '{}')
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.headers['retry-after'], '2')
    assert.equal(JSON.parse(await text(answer)).error.code, 'gateway_unreachable')
  })
})
