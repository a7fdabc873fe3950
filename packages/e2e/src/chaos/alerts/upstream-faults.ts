import { connect, type Socket } from 'node:net'
import { rawChat } from '../traffic/raw-chat.ts'
import type { AlertFault } from './alert-fault.ts'

const question = { messages: [{ role: 'user', content: 'Say 3 words.' }] }
/** Three of these take 85 % of the smallest memory for bodies. */
const bodyBytes = 18_900_000
/** The rest of a body never comes. */
const announcedBytes = 20_000_000

/** Faults of model providers, and of what clients send. */
export const upstreamAlertFaults: readonly AlertFault[] = [
  {
    summary: 'the model provider is unreachable',
    raises: ['UpstreamBreakerOpen'],
    mayRaise: ['RequestsFailing'],
    async inject({ upstream }) {
      upstream.cut()
      return upstream.restore
    }
  },
  {
    summary: 'the gateways have a wrong credential for the upstream',
    raises: ['UpstreamRefusesCredential'],
    mayRaise: ['RequestsFailing', 'UpstreamBreakerOpen'],
    async inject({ gateways }, settings) {
      const use = async (credential: 'right' | 'wrong') => {
        settings.useCredential(credential)
        await Promise.all(gateways.map(({ part }) => part.kill('SIGHUP')))
      }
      await use('wrong')
      return () => use('right')
    }
  },
  {
    summary: 'the upstream of all models is renamed at a gateway',
    raises: ['ModelUnavailable'],
    mayRaise: ['RequestsFailing'],
    async inject({ gateways }, settings) {
      const use = async (isThere: boolean) => {
        settings.useUpstream(isThere)
        await gateways[0]!.part.kill('SIGHUP')
      }
      await use(false)
      return () => use(true)
    }
  },
  {
    summary: 'the model provider is 6 s away',
    raises: ['SlowFirstToken'],
    mayRaise: ['UpstreamBreakerOpen', 'RequestsFailing'],
    async inject({ upstream }) {
      upstream.shape({ delayMs: 3000 })
      return upstream.restore
    }
  },
  {
    summary: 'the model provider reports more tokens than requested',
    raises: ['UsageAboveBound'],
    async inject({ gateways, accounts }) {
      const { outcome } = await rawChat(gateways[0]!.url, accounts[0]!.keys[0]!, { model: 'above-bound', ...question })
      if (outcome !== '200') throw new Error(`the model server answered ${outcome}`)
      return () => undefined
    }
  },
  {
    summary: 'the model provider reports audio that the catalog has no price for',
    raises: ['UsageUnpriced'],
    async inject({ gateways, accounts }) {
      const { outcome } = await rawChat(gateways[0]!.url, accounts[0]!.keys[0]!, {
        model: 'quick',
        ...spokenQuestion()
      })
      if (outcome !== '200') throw new Error(`the model server answered ${outcome}`)
      return () => undefined
    }
  },
  {
    summary: 'three clients send large bodies, and stop before their ends',
    raises: ['BodyMemoryFull'],
    async inject({ gateways, accounts }) {
      const { hostname, port } = new URL(gateways[1]!.url)
      const sockets = accounts.slice(0, 3).map(({ keys }): Socket => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => undefined)
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${keys[0]!.secret}\r\n` +
            `content-type: application/json\r\ncontent-length: ${announcedBytes}\r\n\r\n{"model":"steady","messages":"`
        )
        socket.write(Buffer.alloc(bodyBytes, 'a'))
        return socket
      })
      return () => {
        for (const socket of sockets) socket.destroy()
      }
    }
  }
]

/** A second of silence: WAV, 8,000 samples of 8 bits. */
function spokenQuestion(): object {
  const sound = Buffer.alloc(44 + 8000, 0x80)
  sound.write('RIFF', 0, 'latin1')
  sound.write('WAVEfmt ', 8, 'latin1')
  sound.writeUInt32LE(36 + 8000, 4)
  sound.writeUInt32LE(16, 16)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8]
  ] as const)
    sound.writeUInt16LE(value, at)
  sound.writeUInt32LE(8000, 24)
  sound.writeUInt32LE(8000, 28)
  sound.write('data', 36, 'latin1')
  sound.writeUInt32LE(8000, 40)
  const input_audio = { data: sound.toString('base64'), format: 'wav' }
  return { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }] }
}
