import { ConfigError } from '@tollgate/contracts/config/load-config.ts'
import { readYaml } from '@tollgate/contracts/config/read-yaml.ts'
import { type Static, type TProperties, Type } from 'typebox'
import { Pool } from 'undici'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const Milliseconds = Type.Integer({ minimum: 1 })
const Variable = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' })

/** `upstreams.yaml`; the shipped file describes each member. */
export const UpstreamsFile = closed({
  upstreams: Type.Record(
    Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }),
    closed({
      base_url: Type.String({ pattern: '^https?://' }),
      base_url_variable: Type.Optional(Variable),
      credential_variable: Type.Optional(Variable),
      timeouts_ms: Type.Optional(
        closed({
          connect: Type.Optional(Milliseconds),
          first_byte: Type.Optional(Milliseconds),
          between_chunks: Type.Optional(Milliseconds)
        })
      )
    })
  )
})
export type UpstreamsFile = Static<typeof UpstreamsFile>

/** A provider that can be called. */
export type Upstream = {
  name: string
  pool: Pool
  /** What precedes an endpoint's path there: `/v1` for OpenAI. */
  pathPrefix: string
  /** Header names and values, alternating, that every request to it carries. Holds the credential: never log it. */
  headers: readonly string[]
}

export type Upstreams = ReadonlyMap<string, Upstream>

/**
 * Reads the upstreams file and opens a connection pool for each.
 *
 * @param env where the variables that the file names are read
 * @throws FileError or ConfigError naming what is wrong; a credential that is named must be there
 */
export function openUpstreams(file: string, env: Record<string, string | undefined>): Upstreams {
  const entries = Object.entries(readYaml(file, UpstreamsFile).upstreams)
  const problems: string[] = []
  const upstreams = new Map<string, Upstream>()
  for (const [name, entry] of entries) {
    const override = entry.base_url_variable === undefined ? undefined : env[entry.base_url_variable]
    const url = URL.parse(override || entry.base_url)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      problems.push(`${entry.base_url_variable}: not an http(s) URL (base URL of upstream ${name})`)
      continue
    }
    const headers = ['content-type', 'application/json']
    if (entry.credential_variable !== undefined) {
      const credential = env[entry.credential_variable]
      if (!credential) {
        problems.push(`${entry.credential_variable}: missing (credential of upstream ${name})`)
        continue
      }
      headers.push('authorization', `Bearer ${credential}`)
    }
    upstreams.set(name, {
      name,
      pathPrefix: url.pathname.replace(/\/+$/, ''),
      headers,
      pool: new Pool(url.origin, {
        connections: null,
        pipelining: 1,
        allowH2: false,
        connectTimeout: entry.timeouts_ms?.connect ?? 5000,
        headersTimeout: entry.timeouts_ms?.first_byte ?? 600_000,
        bodyTimeout: entry.timeouts_ms?.between_chunks ?? 120_000,
        // Shorter than what servers keep an idle connection for (uvicorn: 5 s), unless the upstream says more itself.
        keepAliveTimeout: 4000
      })
    })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return upstreams
}
