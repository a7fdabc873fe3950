import { randomUUID } from 'node:crypto'
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector
} from '@opentelemetry/resources'

/** What a process says of itself to a collector. */
export interface ProcessIdentity {
  /** `service.name`, if `OTEL_SERVICE_NAME` gives no other. */
  readonly name: string
  readonly version: string
}

/** The resource of everything that this process sends, with what OpenTelemetry's variables add. */
export function processResource({ name, version }: ProcessIdentity): Resource {
  const own = { 'service.name': name, 'service.version': version, 'service.instance.id': randomUUID() }
  return resourceFromAttributes(own).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })
  )
}
