import { CheckField } from '../../forms/fields.tsx'

/** Asks whether open requests with the value that stops working end, too. */
export const CutStreamsField = () => (
  <div className="space-y-1">
    <CheckField name="cut_streams" label="Also end open requests" />
    <p className="text-[0.8125rem] text-ink-soft">
      Choose this if someone else may use the key. Otherwise open streams run to their end.
    </p>
  </div>
)
