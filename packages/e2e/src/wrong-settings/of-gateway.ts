import { secretMark } from './world.ts'
import { type WrongSetting, wrong } from './wrong-setting.ts'

/** Wrong settings of the gateway. */
export const ofGateway: readonly WrongSetting[] = [
  wrong(
    'gateway',
    '`REDIS_URL` missing',
    { REDIS_URL: '' },
    'REDIS_URL: missing. Set redis://[[user]:password@]host[:port]: the same Redis as control'
  ),
  wrong(
    'gateway',
    '`REDIS_URL=http://…`',
    { REDIS_URL: 'http://localhost' },
    'REDIS_URL: must begin with redis://, rediss://, …, and name a host'
  ),
  wrong(
    'gateway',
    '`REDIS_URL` with `/` in the password',
    { REDIS_URL: `redis://:p/${secretMark}@localhost` },
    'REDIS_URL: the user or password has an unencoded "/". Write %2F for it'
  ),
  wrong(
    'gateway',
    '`REDIS_URL` with a wrong password',
    ({ redisUrl }) => ({ REDIS_URL: redisUrl.replace(secretMark, `other-${secretMark}`) }),
    'REDIS_URL: Redis refuses the user or password. Correct them, or percent-encode their special characters (%40 for @)'
  ),
  wrong(
    'gateway',
    '`REDIS_URL` without the password',
    ({ redisUrl }) => ({ REDIS_URL: redisUrl.replace(`:${secretMark}@`, '') }),
    'REDIS_URL: Redis asks for a password. Write redis://:password@host'
  ),
  wrong(
    'gateway',
    '`REDIS_URL` of a Redis that is away',
    ({ closedPort }) => ({ REDIS_URL: `redis://127.0.0.1:${closedPort}` }),
    'connect ECONNREFUSED',
    { status: 503, shows: { redis: false } }
  ),
  wrong(
    'gateway',
    '`GATEWAY_PORT` used by another program',
    ({ takenPort }) => ({ GATEWAY_PORT: String(takenPort) }),
    'Another program uses port … on 127.0.0.1. Stop it, or set GATEWAY_PORT to another port.'
  ),
  wrong(
    'gateway',
    '`GATEWAY_PORT=tcp://…`, which Kubernetes sets',
    { GATEWAY_PORT: 'tcp://10.0.0.1:8080' },
    'GATEWAY_PORT: must be a whole number from 0 to 65535. Kubernetes set it: add "enableServiceLinks: false" to the pod'
  ),
  wrong(
    'gateway',
    '`GATEWAY_DRAIN` instead of `GATEWAY_DRAIN_MS`',
    { GATEWAY_DRAIN: '1000' },
    'GATEWAY_DRAIN: no such variable. Did you mean GATEWAY_DRAIN_MS?',
    { status: 200 }
  ),
  wrong(
    'gateway',
    '`IDEMPOTENCY_MEMORY_MB=64`',
    { IDEMPOTENCY_MEMORY_MB: '64' },
    'IDEMPOTENCY_MEMORY_MB: must be 0, or 256 or more'
  ),
  wrong(
    'gateway',
    '`UPSTREAMS_FILE` that does not exist',
    { UPSTREAMS_FILE: '/nonexistent/upstreams.yaml' },
    '/nonexistent/upstreams.yaml: cannot be read (ENOENT)'
  ),
  wrong(
    'gateway',
    '`OPENAI_API_KEY` missing',
    { OPENAI_API_KEY: '' },
    'OPENAI_API_KEY: missing (credential of upstream openai)'
  ),
  wrong(
    'gateway',
    'No key and no address of any provider',
    { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' },
    'no upstream is set up. Give at least one of these a value: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, DEEPSEEK_API_KEY, GROQ_API_KEY, OLLAMA_BASE_URL, VLLM_BASE_URL'
  ),
  wrong(
    'gateway',
    '`OPENAI_API_KEY` that the provider refuses',
    { OPENAI_API_KEY: `sk-other-${secretMark}` },
    'upstream openai: OPENAI_API_KEY: the upstream refuses these credentials. Correct them. A changed variable needs a restart of the gateway',
    { status: 200, shows: 'OPENAI_API_KEY' }
  ),
  wrong(
    'gateway',
    '`OPENAI_BASE_URL` of a server that is away',
    ({ closedPort }) => ({ OPENAI_BASE_URL: `http://127.0.0.1:${closedPort}/v1` }),
    'upstream openai cannot be reached; requests to it will fail',
    { status: 200 }
  )
]
