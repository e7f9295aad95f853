import { ArchiveExport } from './archive-export.tsx'
import { ArchiveImport } from './archive-import.tsx'
import { PaneHead } from './pane-head.tsx'
import { useModel } from './use-model.ts'
import { WorkBar } from './work-bar.tsx'
import './settings-pane.css'

/** What can be read here, as one encrypted file, and back (L-03). */
export function ArchivePane() {
  const { shell, strings } = useModel()
  const t = strings.value
  const { openFullView } = shell
  return (
    <section class="pane settings" aria-label={t.archive.title}>
      <PaneHead title={t.archive.title} />
      <WorkBar />
      <div class="pane-body">
        {openFullView === undefined ? (
          <>
            <ArchiveExport />
            <ArchiveImport />
          </>
        ) : (
          <>
            <p>{t.archive.popup}</p>
            <button type="button" class="button" onClick={openFullView}>
              {t.list.fullView}
            </button>
          </>
        )}
      </div>
    </section>
  )
}
