import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ControlVariables } from '@tollgate/control/config.ts'
import { GatewayConfig } from '@tollgate/gateway/config.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { Ajv } from 'ajv'
import { test } from 'tap'
import { parse } from 'yaml'
import { compose, composeFolder, composeText, readBeside, variablesOf } from './compose.ts'

const services = Object.entries(compose.services)
const of = (kind: string) => services.filter(([name]) => name.startsWith(`${kind}-`))

test('compose.yaml follows the Compose Specification', async () => {
  const { $schema, ...schema } = JSON.parse(
    readFileSync(new URL('vendored/compose-spec.json', import.meta.url), 'utf8')
  ) as Record<string, unknown>
  const isValid = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
  isValid(compose)
  assert.deepEqual(isValid.errors ?? [], [])
  const wrong = { ...compose, services: { redis: { ...compose.services.redis, read_onyl: true } } }
  assert.equal(isValid(wrong), false, 'the schema refuses an unknown member')
})

test('the services get only variables that they read', async () => {
  const variables = {
    control: Object.keys(ControlVariables.properties),
    gateway: Object.keys(GatewayConfig.properties)
  }
  const upstreams = parse(readFileSync(workspaceFile('deploy/upstreams.yaml'), 'utf8')) as {
    upstreams: Record<string, { credential_variable?: string; base_url_variable?: string }>
  }
  const ofUpstreams = Object.values(upstreams.upstreams).flatMap(({ credential_variable, base_url_variable }) => [
    credential_variable ?? [],
    base_url_variable ?? []
  ])
  for (const [kind, own] of [
    ['control', variables.control] as const,
    ['gateway', [...variables.gateway, ...ofUpstreams.flat()]] as const
  ]) {
    for (const [name, { environment = {}, env_file }] of of(kind)) {
      const names = [...Object.keys(environment), ...variablesOf(readBeside(`${env_file}.example`))]
      assert.deepEqual(
        names.filter((variable) => !own.includes(variable)),
        [],
        name
      )
      assert.equal(new Set(names).size, names.length, `${name}: a variable is set twice`)
    }
    const image = readFileSync(workspaceFile(`deploy/images/${kind}.Containerfile`), 'utf8')
    const inImage = [...image.matchAll(/^(?:ENV)? +([A-Z_]+)=/gm)].map(([, variable]) => variable!)
    assert.ok(inImage.length > 3)
    assert.deepEqual(
      inImage.filter((variable) => !['PATH', 'NODE_ENV', ...own].includes(variable)),
      [],
      kind
    )
  }
})

test('.env.example has every variable of compose.yaml, and secrets have no default', async () => {
  const used = [...composeText.matchAll(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g)]
  const sample = readBeside('.env.example')
  assert.deepEqual(new Set(used.map(([, name]) => name)), new Set(variablesOf(sample)))
  for (const [, name, kind, value] of used) {
    const optional = new RegExp(`^# ${name}=(.*)$`, 'm').exec(sample)
    assert.equal(kind, optional === null ? '?' : '-', name)
    if (optional !== null) assert.equal(value, optional[1], `${name}: the default in .env.example`)
    if (name!.endsWith('PASSWORD')) assert.equal(kind, '?', name)
  }
  for (const [name, { environment = {} }] of services) {
    for (const [variable, value] of Object.entries(environment)) {
      if (/PASSWORD|SECRET|KEY/.test(variable)) assert.match(value, /^\$\{[A-Z_]+:\?.*\}$/, `${name}: ${variable}`)
    }
  }
})

test('every container is hardened and bounded', async () => {
  for (const [name, service] of services) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    assert.ok(service.logging!.options['max-size'], name)
    assert.deepEqual(Object.keys(service.deploy!.resources.limits), ['cpus', 'memory', 'pids'], name)
    assert.ok(service.healthcheck!.disable === true || service.healthcheck!.test!.length > 1, name)
  }
})

test('only nginx can be reached from other machines, and a gateway cannot reach PostgreSQL', async () => {
  const published = services.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')))
  assert.deepEqual(
    published.map(([name]) => name),
    ['nginx']
  )
  const members = (network: string) =>
    services.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name)
  const controls = ['control-1', 'control-2']
  const gateways = ['gateway-1', 'gateway-2']
  assert.deepEqual(members('database'), [...controls, 'postgres', 'migrate', 'doctor'])
  assert.deepEqual(members('state'), [...controls, ...gateways, 'redis', 'doctor'])
  assert.deepEqual(members('front'), [...controls, ...gateways, 'nginx', 'doctor'])
  assert.deepEqual(members('outside'), [...controls, ...gateways, 'doctor'])
  for (const name of ['front', 'state', 'database', 'monitoring']) assert.equal(compose.networks[name]!.internal, true)
  assert.deepEqual(new Set(services.flatMap(([, { networks }]) => networks)), new Set(Object.keys(compose.networks)))
})

test('a container may take longer to stop than the longest stream', async () => {
  const { default: longestMs } = GatewayConfig.properties.GATEWAY_LONGEST_REQUEST_MS as unknown as { default: number }
  for (const [name, { environment }] of of('gateway')) {
    const drainMs = Number(environment!.GATEWAY_DRAIN_MS)
    assert.ok(drainMs >= longestMs, name)
    for (const one of [name, 'nginx']) assert.ok(milliseconds(compose.services[one]!.stop_grace_period!) > drainMs, one)
  }
})

test('every file that compose.yaml mounts is in the repository, or the operator makes it', async () => {
  const made = ['./config', './tls', './acme']
  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]!))
  for (const source of new Set(sources)) {
    if (made.includes(source)) continue
    if (source.startsWith('.')) assert.ok(existsSync(join(composeFolder, source)), source)
    else assert.ok(source in compose.volumes, source)
  }
})

test('the checks of health are those of the images', async () => {
  for (const kind of ['control', 'gateway']) {
    const image = readFileSync(workspaceFile(`deploy/images/${kind}.Containerfile`), 'utf8')
    const check = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(image)![1]!) as string[]
    for (const [name, { healthcheck }] of of(kind)) assert.deepEqual(healthcheck!.test, ['CMD', ...check], name)
  }
})

test('Prometheus asks every service at its admin port', async () => {
  const { scrape_configs } = parse(readBeside('prometheus.yml')) as {
    scrape_configs: Array<{ job_name: string; static_configs: Array<{ targets: string[] }> }>
  }
  const admin = {
    control: ControlVariables.properties.CONTROL_ADMIN_PORT,
    gateway: GatewayConfig.properties.GATEWAY_ADMIN_PORT
  }
  for (const kind of ['control', 'gateway'] as const) {
    const { default: port } = admin[kind] as unknown as { default: number }
    const job = scrape_configs.find(({ job_name }) => job_name === `tollgate-${kind}`)!
    assert.deepEqual(
      job.static_configs.flatMap(({ targets }) => targets),
      of(kind).map(([name]) => `${name}:${port}`)
    )
    for (const [name, { networks }] of of(kind)) assert.ok(networks.includes('monitoring'), name)
  }
  assert.ok(readdirSync(workspaceFile('deploy/grafana/dashboards')).length > 0)
})

/** Reads a duration such as `15m30s`. */
const milliseconds = (duration: string): number =>
  [...duration.matchAll(/(\d+)([ms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unit === 'm' ? 60_000 : 1000),
    0
  )
