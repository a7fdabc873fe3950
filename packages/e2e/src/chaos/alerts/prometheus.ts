import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { startChild } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { stringify } from 'yaml'

const seconds = { s: 1, m: 60, h: 3600 } as const
const duration = /(?<before>(?:\bfor: |\[|\boffset ))(?<amount>\d+)(?<unit>[smh])\b/g

const readyTimeoutMs = 30_000
/** Prometheus changes its targets every 5 s at most. */
const targetTimeoutMs = 30_000
const pollMs = 100

/** What Prometheus reads from one kind of process. */
export interface ScrapeJob {
  name: string
  /** URLs of admin ports. */
  urls: readonly string[]
  intervalMs: number
}

/** A running Prometheus. */
export interface RunningPrometheus {
  /** The names of the alerts that fire now. */
  firing(): Promise<Set<string>>
  /** The values of a PromQL expression now, with their labels. */
  query(expr: string): Promise<Array<{ labels: Record<string, string>; value: number }>>
  /**
   * Scrapes one more admin port. Resolves when Prometheus has reached it.
   *
   * @param job the name of a job that it started with
   * @returns ends this. Resolves when Prometheus no longer scrapes it
   */
  scrapeAlso(job: string, url: string): Promise<() => Promise<void>>
  stop(): Promise<void>
}

/** What Prometheus gets at its start. */
interface PrometheusOptions {
  rules: string
  evaluationMs: number
  jobs: readonly ScrapeJob[]
}

/** @param program Debian's `/usr/bin/prometheus` */
export async function startPrometheus(program: string, options: PrometheusOptions): Promise<RunningPrometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-prometheus-'))
  const config = join(directory, 'prometheus.yaml')
  const rulesFile = join(directory, 'rules.yaml')
  writeFileSync(rulesFile, options.rules)
  const added = new Map<string, string>()
  const writeConfig = () => writeFileSync(config, describe(options, rulesFile, added))
  writeConfig()
  const { url, child, stop } = await launch(program, directory, config)

  const query: RunningPrometheus['query'] = async (expr) => {
    const { result } = await read<{ result: Sample[] }>(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
    return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
  }

  /** @param values those of `up` for this target, once Prometheus scrapes as it should */
  async function changeTargets(target: string, values: readonly number[]): Promise<void> {
    writeConfig()
    await child.kill('SIGHUP')
    const deadline = performance.now() + targetTimeoutMs
    for (;;) {
      const current = (await query(`up{instance="${target}"}`)).map(({ value }) => value)
      if (isDeepStrictEqual(current, values)) return
      if (performance.now() > deadline) {
        throw new Error(
          `Prometheus did not change its target ${target} in ${targetTimeoutMs / 1000} s: up is [${current}]`
        )
      }
      await delay(pollMs)
    }
  }

  return {
    async firing() {
      const { alerts } = await read<{ alerts: Alert[] }>(`${url}/api/v1/alerts`)
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
    },
    query,
    async scrapeAlso(job, adminUrl) {
      const target = targetOf(adminUrl)
      added.set(target, job)
      await changeTargets(target, [1])
      return () => {
        added.delete(target)
        return changeTargets(target, [])
      }
    },
    stop
  }
}

/** The configuration. @param added the job of each target that was added later */
function describe(
  { evaluationMs, jobs }: PrometheusOptions,
  rulesFile: string,
  added: ReadonlyMap<string, string>
): string {
  const addedTo = (name: string) => [...added].filter(([, job]) => job === name).map(([target]) => target)
  return stringify({
    global: { evaluation_interval: `${evaluationMs}ms` },
    rule_files: [rulesFile],
    scrape_configs: jobs.map(({ name, urls, intervalMs }) => ({
      job_name: name,
      scrape_interval: `${intervalMs}ms`,
      scrape_timeout: `${intervalMs}ms`,
      static_configs: [{ targets: [...urls.map(targetOf), ...addedTo(name)] }]
    }))
  })
}

async function launch(program: string, directory: string, config: string) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = await startChild({
    command: program,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn'
    ],
    cwd: directory,
    stopSignal: 'SIGTERM',
    temporaryDirectory: directory
  })
  const stop = async () => {
    await child.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  const deadline = performance.now() + readyTimeoutMs
  while (!(await isReady(url))) {
    if (!child.isRunning() || performance.now() > deadline) {
      await stop()
      throw new Error(`Prometheus did not start:\n${child.output()}`)
    }
    await delay(pollMs)
  }
  return { url, child, stop }
}

const targetOf = (url: string): string => new URL(url).host

interface Alert {
  state: 'pending' | 'firing'
  labels: { alertname: string }
}
interface Sample {
  metric: Record<string, string>
  value: [at: number, value: string]
}

async function read<Data>(address: string): Promise<Data> {
  const answer = (await (await fetch(address)).json()) as { status: string; error?: string; data: Data }
  if (answer.status !== 'success') throw new Error(`Prometheus: ${answer.error}`)
  return answer.data
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false
  )

/**
 * Divides every duration of rules by one factor: `for`, the windows of expressions, and `offset`. Thresholds stay.
 *
 * @param text a rules file of Prometheus
 */
export function shortenRules(text: string, factor: number): string {
  return text.replaceAll(duration, (_, before: string, amount: string, unit: keyof typeof seconds) => {
    const ms = Math.round((Number(amount) * seconds[unit] * 1000) / factor)
    return `${before}${ms}ms`
  })
}
