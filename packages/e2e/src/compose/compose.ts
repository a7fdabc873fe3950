import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Child, startChild } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { parse } from 'yaml'

/** The folder of compose.yaml. */
export const composeFolder = workspaceFile('deploy/compose/')

export const composeText = readFileSync(`${composeFolder}compose.yaml`, 'utf8')

/** compose.yaml, with its anchors and merge keys, and without values for its variables. */
export const compose = parse(composeText, { merge: true }) as ComposeFile

export interface NginxOptions {
  readonly program: string
  readonly directory: string
  readonly tls: NonNullable<ReturnType<typeof makeCertificate>>
  /** Host and port of two gateways and of two controls. */
  readonly gateways: readonly [string, string]
  readonly controls: readonly [string, string]
}

export interface RunningNginx {
  /** `http://127.0.0.1:<port>` */
  readonly httpUrl: string
  /** `https://127.0.0.1:<port>` */
  readonly httpsUrl: string
  readonly child: Child
  /** The lines of the access log so far. */
  log(): string[]
}

/**
 * Starts nginx with the configuration of compose.yaml. Only addresses and folders are replaced, and what the nginx of
 * this machine does not know yet.
 */
export async function startNginx(options: NginxOptions): Promise<RunningNginx> {
  const { program, directory } = options
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const folder = (name: string) => {
    mkdirSync(join(directory, name), { recursive: true })
    return join(directory, name)
  }
  cpSync(options.tls.certFile, join(folder('tls'), 'fullchain.pem'))
  cpSync(options.tls.keyFile, join(folder('tls'), 'privkey.pem'))
  writeFileSync(join(folder('acme/.well-known/acme-challenge'), 'token'), 'proof')
  // nginx's workers are another user, and the system's umask keeps files private.
  execFileSync('chmod', ['-R', 'a+rX', join(directory, 'acme')])

  const log = join(directory, 'access.log')
  let text = readBeside('nginx.conf')
  const replacements: ReadonlyArray<readonly [given: string, used: string]> = [
    ['listen 8080;', `listen 127.0.0.1:${httpPort};`],
    ['listen 8443 ssl;', `listen 127.0.0.1:${httpsPort} ssl;`],
    ['/etc/nginx/tls/', `${directory}/tls/`],
    ['/var/www/acme', `${directory}/acme`],
    ['/dev/stdout', log],
    [' /tmp/', ` ${directory}/`],
    ['gateway-1:8080', options.gateways[0]],
    ['gateway-2:8080', options.gateways[1]],
    ['control-1:3000', options.controls[0]],
    ['control-2:3000', options.controls[1]]
  ]
  for (const [original] of replacements) if (!text.includes(original)) throw new Error(`nginx.conf has no ${original}`)
  const used = new Map(replacements)
  // All at once: the folder of this test may contain a given text.
  const pattern = new RegExp([...used.keys()].map(escaped).join('|'), 'g')
  text = text.replace(pattern, (match) => used.get(match)!)
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, forVersion(text, versionOf(program)))
  const args = ['-p', directory, '-e', 'stderr', '-c', file]
  execFileSync(program, [...args, '-t'], { stdio: 'pipe' })
  const child = await startChild({
    command: program,
    args: [...args, '-g', 'daemon off;'],
    cwd: directory,
    stopSignal: 'SIGQUIT',
    temporaryDirectory: null
  })
  const httpUrl = `http://127.0.0.1:${httpPort}`
  while (!(await answers(`${httpUrl}/nginx-health`))) {
    if (!child.isRunning()) throw new Error(`nginx did not start:\n${child.output()}`)
    await delay(20)
  }
  return {
    httpUrl,
    httpsUrl: `https://127.0.0.1:${httpsPort}`,
    child,
    log: () => readFileSync(log, 'utf8').split('\n').slice(0, -1)
  }
}

/** A pattern for exactly this text. */
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false
  )

function versionOf(program: string): number {
  const { stderr } = spawnSync(program, ['-v'], { encoding: 'utf8' })
  const [, major, minor, patch] = /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(stderr)!.map(Number)
  return major! * 1e6 + minor! * 1e3 + patch!
}

/** Older versions have no `http2` directive (before 1.25.1) and look names up only once (before 1.27.3). */
function forVersion(text: string, version: number): string {
  const withHttp2 = version < 1_025_001 ? text.replace(' ssl;', ' ssl http2;').replace(/^ *http2 on;\n/m, '') : text
  return version < 1_027_003 ? withHttp2.replaceAll(' resolve;', ';') : withHttp2
}

interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly env_file?: string | readonly string[]
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly profiles?: readonly string[]
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
  readonly stop_grace_period?: string
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } }
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** A file beside compose.yaml. */
export const readBeside = (name: string): string => readFileSync(`${composeFolder}${name}`, 'utf8')

/** The names of the variables that a file such as .env.example sets, those that are commented out included. */
export const variablesOf = (text: string): string[] =>
  [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!)
