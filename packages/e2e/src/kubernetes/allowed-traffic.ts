import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer'
import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicySpec'
import { allOf, type Labels, type Manifest } from './manifest.ts'

type Direction = 'ingress' | 'egress'

/**
 * What the NetworkPolicies allow pods with these labels, as one sorted line for each peer and port: `public addresses
 * 443`.
 *
 * @returns null if no policy denies the rest: Kubernetes then allows everything
 */
export function allowedTraffic(manifests: readonly Manifest[], labels: Labels, direction: Direction): string[] | null {
  const type = direction === 'ingress' ? 'Ingress' : 'Egress'
  const policies = allOf<INetworkPolicy>(manifests, 'NetworkPolicy')
    .map(({ spec }) => spec!)
    .filter(({ podSelector, policyTypes }) => policyTypes!.includes(type) && matches(podSelector ?? {}, labels))
  if (policies.length === 0) return null
  const lines = policies.flatMap((spec) =>
    direction === 'ingress'
      ? (spec.ingress ?? []).flatMap(({ from, ports }) => describe(from, ports))
      : (spec.egress ?? []).flatMap(({ to, ports }) => describe(to, ports))
  )
  return [...new Set(lines)].sort()
}

function describe(peers: INetworkPolicyPeer[] | undefined, ports: Array<{ port?: unknown }> | undefined): string[] {
  const names = peers === undefined ? ['anywhere'] : peers.map(describePeer)
  const numbers = ports === undefined ? ['every port'] : ports.map(({ port }) => String(port))
  return names.flatMap((name) => numbers.map((number) => `${name} ${number}`))
}

const privateNetworks = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']
const privateNetworks6 = ['fc00::/7', 'fe80::/10']

function describePeer({ ipBlock, namespaceSelector, podSelector }: INetworkPolicyPeer): string {
  if (ipBlock !== undefined) {
    const excepted = JSON.stringify([...(ipBlock.except ?? [])].sort())
    if (ipBlock.cidr === '0.0.0.0/0' && excepted === JSON.stringify(privateNetworks)) return 'public addresses'
    if (ipBlock.cidr === '::/0' && excepted === JSON.stringify(privateNetworks6)) return 'public addresses'
    return `${ipBlock.cidr} except ${excepted}`
  }
  const namespace = namespaceSelector && `namespace ${JSON.stringify(namespaceSelector.matchLabels ?? {})}`
  const pods = podSelector && `pods ${JSON.stringify(podSelector.matchLabels ?? podSelector.matchExpressions ?? {})}`
  return [namespace, pods].filter(Boolean).join(' ')
}

type Selector = NonNullable<INetworkPolicySpec['podSelector']>

/** Whether a selector of Kubernetes selects an object with these labels. The manifests use only the operator `In`. */
export function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not supported`)
      return values!.includes(labels[key] ?? '')
    })
  )
}
