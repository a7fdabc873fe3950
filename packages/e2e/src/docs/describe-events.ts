import { type DescribedEvent, describeEvents } from '@tollgate/contracts/events/describe-events.ts'
import { accountEvents, operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { describeSchema } from '@tollgate/contracts/openapi/document.ts'

/** The lists of events in docs/webhooks.md. */
export function describeAllEvents(): string {
  return [
    ...['## All events of an account', '', ...describeEvents(accountEvents).flatMap(describeEvent)],
    ...['## All events of operators', '', ...describeEvents(operatorEvents).flatMap(describeEvent)]
  ].join('\n')
}

const describeEvent = ({ type, description, data }: DescribedEvent): string[] => [
  ...[`### \`${type}\``, '', description, '', '```', describeSchema(data), '```', '']
]
