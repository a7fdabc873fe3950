import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor'
import { ControlVariables, loadControlConfig } from '@tollgate/control/config.ts'
import { GatewayConfig, loadGatewayConfig } from '@tollgate/gateway/config.ts'
import { readUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import t from 'tap'
import { checkSchemas } from './check-schemas.ts'
import {
  containerOf,
  kubectl,
  type Manifest,
  nameOf,
  oneOf,
  options,
  overlays,
  podsOf,
  probesOf,
  render,
  variablesOf
} from './manifest.ts'

const page = readFileSync(workspaceFile('docs/operate/install-kubernetes.md'), 'utf8')

/** What an operator writes into the Secrets. */
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgres://tollgate_control:password@postgres.example.com:5432/tollgate',
  SUPABASE_ANON_KEY: 'anon-key',
  SUPABASE_SERVICE_ROLE_KEY: 'service-role-key',
  IDENTITY_WEBHOOK_SECRET: 'sixteen-characters',
  STRIPE_SECRET_KEY: 'sk_live_secret',
  STRIPE_WEBHOOK_SECRET: 'whsec_sixteen_characters',
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  SMTP_URL: 'smtps://user:password@mail.example.com'
}
/** What an operator sets in the kustomization. */
const settings = { TRUST_PROXY: '10.244.3.0/24' }
const redisUrls: Record<string, string> = {
  'overlays/small': 'redis://:password@tollgate-redis',
  'overlays/large': 'redis+cluster://:password@redis-0.redis.redis.svc,redis-1.redis.redis.svc,redis-2.redis.redis.svc'
}

t.test('kubectl renders each overlay and option, and all objects fit their schemas', async (t) => {
  if (!need(t, 'kubectl', kubectl)) return
  const rendered = await Promise.all([...overlays, ...options].map(render))
  assert.deepEqual(await checkSchemas(rendered.flat()), [])
})

t.test('an unknown field, a wrong type and a missing field are found', async () => {
  const spec = (container: object) => ({ selector: {}, template: { spec: { containers: [container] } } })
  const deployment = (name: string, container: object): Manifest =>
    ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: spec(container) }) as Manifest
  const problems = await checkSchemas([
    deployment('fine', { name: 'a' }),
    deployment('unknown', { name: 'a', livenessProbe: { httpGet: { port: 1 }, periodSecond: 1 } }),
    deployment('wrong', { name: 'a', resources: { limits: { memory: true } } }),
    deployment('missing', { image: 'a' }),
    { apiVersion: 'apps/v1', kind: 'Deploymint', metadata: { name: 'kind' } }
  ])
  for (const [name, problem] of [
    ['unknown', 'periodSecond'],
    ['wrong', 'boolean'],
    ['missing', 'name'],
    ['kind', 'no such kind']
  ]) {
    assert.ok(
      problems.some((line) => line.includes(name!) && line.includes(problem!)),
      `${name} among ${problems.join('\n')}`
    )
  }
  assert.ok(!problems.some((line) => line.includes('fine')))
})

for (const overlay of overlays) {
  t.test(overlay, async (t) => {
    if (!need(t, 'kubectl', kubectl)) return
    const manifests = await render(overlay)

    t.test('the services accept every variable, and know all of them', async () => {
      const control = variablesOf(manifests, containerOf(manifests, 'tollgate-control'))
      const gateway = variablesOf(manifests, containerOf(manifests, 'tollgate-gateway'))
      const variableNames = (schema: object) => [...Object.keys(schema), 'NODE_ENV']
      assert.deepEqual(namesNotIn(control, variableNames(ControlVariables.properties)), [])
      assert.deepEqual(namesNotIn(gateway, variableNames(GatewayConfig.properties)), [])
      const withSecrets = (variables: Map<string, string | null>) =>
        Object.fromEntries(
          [...variables].map(([name, value]) => [
            name,
            value ?? (name === 'REDIS_URL' ? redisUrls[overlay] : secrets[name])
          ])
        )
      loadControlConfig({ ...withSecrets(control), ...settings })
      loadGatewayConfig({ ...withSecrets(gateway), ...settings })
      // Whoever trusts a network of clients lets them choose their own addresses. So there is no default.
      assert.throws(() => loadControlConfig(withSecrets(control)), /TRUST_PROXY: /)
      assert.throws(() => loadGatewayConfig(withSecrets(gateway)), /TRUST_PROXY: /)
    })

    t.test('every Secret and its keys are on the page, and every ConfigMap exists', async () => {
      const secretKeys = podsOf(manifests)
        .flatMap(({ spec }) => spec.containers)
        .flatMap(({ env = [] }) => env)
        .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
      assert.ok(secretKeys.length > 0)
      for (const { name, key } of secretKeys) assert.match(page, new RegExp(`\\| \`${name}\` +\\| \`${key}\` +\\|`))
      for (const { volumes = [] } of podsOf(manifests).map(({ spec }) => spec)) {
        for (const { configMap, secret } of volumes) {
          if (configMap !== undefined) oneOf(manifests, 'ConfigMap', configMap.name!)
          if (secret !== undefined) assert.match(page, new RegExp(`\\| \`${secret.secretName}\` `))
        }
      }
      assert.ok(!manifests.some(({ kind }) => kind === 'Secret'))
    })

    t.test(
      'every container is restricted, has resources and, unless it is a Job, probes on the admin port',
      async () => {
        for (const { owner, spec } of podsOf(manifests)) {
          const name = nameOf(owner)
          assert.equal(spec.automountServiceAccountToken, false, name)
          assert.equal(spec.enableServiceLinks, false, name)
          assert.equal(spec.securityContext?.runAsNonRoot, true, name)
          assert.deepEqual(spec.securityContext?.seccompProfile, { type: 'RuntimeDefault' }, name)
          for (const container of spec.containers) {
            assert.deepEqual(
              container.securityContext,
              { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
              name
            )
            assert.ok(container.resources?.requests?.cpu && container.resources.requests.memory, name)
            assert.ok(container.resources?.limits?.memory, name)
            if (owner.kind === 'Job') continue
            assert.ok(
              probesOf(container).every((probe) => probe !== undefined),
              name
            )
            if (owner.kind !== 'Deployment') continue
            const ports = probesOf(container).map((probe) => probe!.httpGet?.port)
            assert.deepEqual(ports, ['admin', 'admin', 'admin'], name)
            const port = container.ports!.find((one) => one.name === 'admin')!.containerPort
            const variables = variablesOf(manifests, container)
            assert.equal(variables.get(`${container.name.toUpperCase()}_ADMIN_PORT`), String(port))
          }
        }
      }
    )

    t.test('a stopping gateway has time for its longest request, and control for its work', async () => {
      const graceOf = (workload: string) => {
        const { spec } = podsOf(manifests).find(({ owner }) => owner.metadata.name === workload)!
        return spec.terminationGracePeriodSeconds! - spec.containers[0]!.lifecycle!.preStop!.sleep!.seconds
      }
      const { GATEWAY_DRAIN_MS, GATEWAY_LONGEST_REQUEST_MS } = Object.fromEntries(
        variablesOf(manifests, containerOf(manifests, 'tollgate-gateway'))
      )
      assert.ok(Number(GATEWAY_DRAIN_MS) >= Number(GATEWAY_LONGEST_REQUEST_MS))
      assert.ok(graceOf('tollgate-gateway') * 1000 > Number(GATEWAY_DRAIN_MS))
      // services/control/src/main.ts ends by itself after 20 s.
      assert.ok(graceOf('tollgate-control') > 20)
    })

    t.test('the memory of request bodies leaves most of the limit to the process', async () => {
      const container = containerOf(manifests, 'tollgate-gateway')
      const limit = /^(\d+)(Mi|Gi)$/.exec(String(container.resources!.limits!.memory))!
      const megabytes = Number(limit[1]) * (limit[2] === 'Gi' ? 1024 : 1)
      const bodies = Number(variablesOf(manifests, container).get('GATEWAY_BODY_MEMORY_MB'))
      assert.ok(megabytes - bodies >= 512, `${megabytes} MiB`)
    })

    t.test('gateways leave slowly: at most one in five minutes', async () => {
      const { spec } = oneOf<IHorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler', 'tollgate-gateway')
      const { stabilizationWindowSeconds, policies } = spec!.behavior!.scaleDown!
      assert.ok(stabilizationWindowSeconds! >= 300)
      assert.deepEqual(policies, [{ type: 'Pods', value: 1, periodSeconds: 300 }])
      // The autoscaler owns the number of gateways.
      assert.equal(oneOf<IDeployment>(manifests, 'Deployment', 'tollgate-gateway').spec!.replicas, undefined)
    })

    t.test('all objects are in the namespace of the overlay, which enforces the restricted standard', async () => {
      const elsewhere = manifests.filter(
        ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'tollgate'
      )
      assert.deepEqual(elsewhere.map(nameOf), [])
      const { metadata } = oneOf(manifests, 'Namespace', 'tollgate')
      assert.equal(metadata.labels?.['pod-security.kubernetes.io/enforce'], 'restricted')
    })
  })
}

t.test(
  'the label endpoint of the metrics stays, although the Prometheus Operator gives targets such a label',
  async (t) => {
    if (!need(t, 'kubectl', kubectl)) return
    const { spec } = oneOf<IServiceMonitor>(await render('optional/monitoring'), 'ServiceMonitor', 'tollgate')
    assert.deepEqual(
      spec!.endpoints.map(({ port, honorLabels }) => ({ port, honorLabels })),
      [{ port: 'admin', honorLabels: true }]
    )
  }
)

t.test('the catalog and the upstreams in the base are valid', async (t) => {
  if (!need(t, 'kubectl', kubectl)) return
  const manifests = await render('base')
  const catalog = oneOf<IConfigMap>(manifests, 'ConfigMap', 'tollgate-catalog').data!['catalog.yaml']
  assert.equal(catalog, readFileSync(workspaceFile('deploy/catalog.yaml'), 'utf8'), 'run npm run generate')

  // The same file, with the folder of the Secret on this machine.
  const directory = t.testdir({ openai: 'sk-test' })
  const upstreams = oneOf<IConfigMap>(manifests, 'ConfigMap', 'tollgate-upstreams').data!['upstreams.yaml']!
  const { mountPath } = containerOf(manifests, 'tollgate-gateway').volumeMounts!.find(
    ({ name }) => name === 'credentials'
  )!
  const file = join(directory, 'upstreams.yaml')
  writeFileSync(file, upstreams.replaceAll(mountPath, directory))
  assert.deepEqual(
    readUpstreamsFile(file, {}).settings.map(({ name, credential }) => ({ name, credential })),
    [{ name: 'openai', credential: 'sk-test' }]
  )
})

const namesNotIn = (variables: Map<string, unknown>, names: readonly string[]) =>
  [...variables.keys()].filter((name) => !names.includes(name))
