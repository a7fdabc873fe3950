import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IService } from 'kubernetes-models/v1/Service'
import t from 'tap'
import { parse } from 'yaml'
import { allowedTraffic, matches } from './allowed-traffic.ts'
import {
  allOf,
  kubectl,
  type Labels,
  type Manifest,
  nameOf,
  oneOf,
  options,
  overlays,
  podsOf,
  render
} from './manifest.ts'

const clients = ['namespace {"tollgate/ingress":"true"} http', 'namespace {"tollgate/monitoring":"true"} admin']
const dns = [
  '169.254.20.10/32 except [] 53',
  'namespace {"kubernetes.io/metadata.name":"kube-system"} pods {"k8s-app":"kube-dns"} 53'
]
const redis: Record<string, string> = {
  'overlays/small': 'pods {"app.kubernetes.io/name":"tollgate-redis"} redis',
  'overlays/large': 'namespace {"kubernetes.io/metadata.name":"redis"} 6379'
}

for (const overlay of overlays) {
  t.test(overlay, async (t) => {
    if (!need(t, 'kubectl', kubectl)) return
    const manifests = await render(overlay)

    t.test('each part reaches what it needs, and nothing else', async () => {
      const reach = (workload: string) => allowedTraffic(manifests, labelsOf(manifests, workload), 'egress')
      assert.deepEqual(reach('tollgate-gateway'), [...dns, redis[overlay], 'public addresses 443'].sort())
      assert.deepEqual(
        reach('tollgate-control'),
        [
          ...dns,
          redis[overlay],
          ...['anywhere 5432', 'anywhere 6543'],
          ...['public addresses 443', 'public addresses 465', 'public addresses 587']
        ].sort()
      )
      assert.deepEqual(reach('tollgate-migrate'), [...dns, 'anywhere 5432', 'anywhere 6543'].sort())
    })

    t.test('only the ingress reaches the services, and only the monitoring their admin ports', async () => {
      const reachable = (workload: string) => allowedTraffic(manifests, labelsOf(manifests, workload), 'ingress')
      assert.deepEqual(reachable('tollgate-gateway'), clients)
      assert.deepEqual(reachable('tollgate-control'), clients)
      assert.deepEqual(reachable('tollgate-migrate'), [])
      // Pods that are not ours get nothing in this namespace.
      assert.deepEqual(allowedTraffic(manifests, { app: 'another' }, 'ingress'), [])
      assert.deepEqual(allowedTraffic(manifests, { app: 'another' }, 'egress'), [])
    })

    t.test('every selector selects pods, and every named port exists on them', async () => {
      const all = podsOf(manifests)
      const selected = (selector: Parameters<typeof matches>[0], owner: Manifest) => {
        const pods = all.filter(({ labels }) => matches(selector, labels))
        assert.ok(pods.length > 0, `${nameOf(owner)} selects nothing`)
        return pods
      }
      for (const service of allOf<IService>(manifests, 'Service')) {
        for (const { spec } of selected({ matchLabels: service.spec!.selector! }, service)) {
          const ports = spec.containers.flatMap((container) => container.ports!.map(({ name }) => name))
          for (const { targetPort } of service.spec!.ports!) assert.ok(ports.includes(targetPort as string))
        }
      }
      for (const budget of allOf<IPodDisruptionBudget>(manifests, 'PodDisruptionBudget')) {
        assert.equal(selected(budget.spec!.selector!, budget).length, 1)
      }
      for (const policy of allOf<INetworkPolicy>(manifests, 'NetworkPolicy')) {
        const pods = selected(policy.spec!.podSelector ?? {}, policy)
        for (const { port } of (policy.spec!.ingress ?? []).flatMap(({ ports }) => ports!)) {
          for (const { spec } of pods) assert.ok(spec.containers[0]!.ports!.some(({ name }) => name === port))
        }
      }
      for (const deployment of allOf<IDeployment>(manifests, 'Deployment')) {
        const { selector, template } = deployment.spec!
        assert.ok(matches(selector, template.metadata!.labels!), nameOf(deployment))
        for (const { labelSelector } of template.spec!.topologySpreadConstraints!) {
          assert.deepEqual(labelSelector, selector)
        }
      }
      for (const { spec } of allOf<IHorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler')) {
        oneOf(manifests, spec!.scaleTargetRef.kind, spec!.scaleTargetRef.name)
      }
    })

    t.test('routes, ingresses and monitors of the options lead to its Services', async () => {
      const optional = (await Promise.all(options.map(render))).flat()
      const assertPort = (service: string, port: unknown) => {
        const { spec } = oneOf<IService>(manifests, 'Service', service)
        assert.ok(spec!.ports!.some(({ name, port: number }) => name === port || number === port))
      }
      const routes = allOf<IHTTPRoute>(optional, 'HTTPRoute')
      const ingresses = allOf<IIngress>(optional, 'Ingress')
      assert.deepEqual([routes.length, ingresses.length], [2, 2])
      for (const { spec } of routes) {
        for (const { backendRefs } of spec.rules!) assertPort(backendRefs![0]!.name, backendRefs![0]!.port)
      }
      for (const { spec } of ingresses) {
        const { service } = spec!.rules![0]!.http!.paths[0]!.backend
        assertPort(service!.name, service!.port!.name)
      }
      const services = allOf<IService>(optional, 'Service')
      for (const { metadata, spec } of services) {
        const pods = podsOf(manifests).filter(({ labels }) => matches({ matchLabels: spec!.selector! }, labels))
        assert.equal(pods.length, 1)
        const admin = pods[0]!.spec.containers[0]!.ports!.find(({ name }) => name === 'admin')
        assert.equal(spec!.ports![0]!.port, admin!.containerPort)
        // It becomes the label `job`.
        assert.equal(metadata.labels!['app.kubernetes.io/name'], pods[0]!.owner.metadata.name)
      }
      const [monitor] = allOf<IServiceMonitor>(optional, 'ServiceMonitor')
      assert.equal(services.filter(({ metadata }) => matches(monitor!.spec.selector, metadata.labels!)).length, 2)
    })
  })
}

t.test('the large overlay scales by a metric that the Prometheus Adapter has a rule for', async (t) => {
  if (!need(t, 'kubectl', kubectl)) return
  const { spec } = oneOf<IHorizontalPodAutoscaler>(
    await render('overlays/large'),
    'HorizontalPodAutoscaler',
    'tollgate-gateway'
  )
  const metrics = spec!.metrics!.flatMap(({ pods }) => pods?.metric.name ?? [])
  const adapter = parse(readFileSync(workspaceFile('deploy/kubernetes/prometheus-adapter.yaml'), 'utf8')) as {
    rules: { custom: Array<{ name: { as: string } }> }
  }
  assert.deepEqual(
    metrics,
    adapter.rules.custom.map(({ name }) => name.as)
  )
})

function labelsOf(manifests: readonly Manifest[], workload: string): Labels {
  return podsOf(manifests).find(({ owner }) => owner.metadata.name === workload)!.labels
}
