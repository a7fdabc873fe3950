import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicySpec'
import type { Labels } from './manifest.ts'

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
