import { adminCall } from '../../../api/admin.ts'
import { countOf } from '../../../format/number.ts'
import { readNothing } from '../../../forms/form.tsx'
import { ActDialog } from '../act-dialog.tsx'
import type { Comparison } from './comparison.ts'

interface ApplyCatalogDialogProps {
  readonly comparison: Comparison
  readonly onDone: () => void
  readonly onClose: () => void
}

export function ApplyCatalogDialog({ comparison: { of, found }, onDone, onClose }: ApplyCatalogDialogProps) {
  return (
    <ActDialog
      title={'version' in of ? `Apply version ${of.version} again?` : 'Apply this catalog?'}
      effects={[
        `${countOf(found.changes.length, 'change')} of models, prices and plans apply to new requests at every gateway.`,
        'Requests that run keep their prices.',
        ...(found.warnings.length === 0
          ? []
          : [
              `There ${found.warnings.length === 1 ? 'is' : 'are'} ${countOf(found.warnings.length, 'warning')}. Read them first.`
            ])
      ]}
      action="Apply catalog"
      reasonHint="The operators’ log and the history keep it."
      read={readNothing}
      submit={async (_, why) => {
        const { catalog } = await adminCall('applyCatalog', { body: { ...of, ...why } })
        return `Catalog version ${catalog.version} is in force.`
      }}
      onDone={onDone}
      onClose={onClose}
    />
  )
}
