import { useSyncExternalStore } from 'react'
import { now } from '../../api/clock.ts'
import { formatMoment } from '../../format/time.ts'
import { chooseZone, chosenZone, onZone, ownZoneName } from '../../format/zone.ts'
import { Card } from '../../ui/card.tsx'
import { Segments } from '../../ui/segments.tsx'

/** Chooses the zone of times. This browser remembers it. */
export function TimesCard() {
  const zone = useSyncExternalStore(onZone, chosenZone)
  return (
    <div id="times">
      <Card
        title="Times"
        description="The time zone of requests, audit entries and other events in this browser. Usage and budgets count days and months in UTC."
      >
        <Segments
          legend="Time zone"
          options={[
            ['own', `Your time zone (${ownZoneName()})`],
            ['utc', 'UTC']
          ]}
          value={zone}
          onChange={chooseZone}
        />
        <p className="mt-3 text-sm text-ink-soft">Now: {formatMoment(now())}</p>
      </Card>
    </div>
  )
}
