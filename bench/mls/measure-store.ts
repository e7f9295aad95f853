import { loadGroup, saveGroup } from '#app/channel/loaded.ts'
import { Draft } from '#app/draft.ts'
import { systemDice } from '#core/crypto/random.ts'
import { encodeGroup, type Group, mergeStaged, sealMessage, stageCommit } from '#core/mls/index.ts'
import { IdbRows } from '#store/idb-rows.ts'
import { makeKeyHandles } from '#store/key-handles.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeKeyMemory } from '../../tests/support/key-memory.ts'
import { NOW_MS } from './groups.ts'
import { median, type Row } from './median.ts'

const CHANNEL = 'bench'

/** Milliseconds of a group's way through IndexedDB and the seal of rows, as the engine goes it. In a browser alone. */
export async function measureStore(group: Group): Promise<Row> {
  const place = `bench-${systemDice(8).join('')}`
  const store = new SealedStore(new IdbRows(place), makeKeyHandles(`${place}-keys`), makeKeyMemory())
  await store.create()
  await store.takeOver()
  const save = async (next: Group, stored: Group | undefined) => {
    const draft = new Draft(store)
    saveGroup(draft, CHANNEL, next, stored)
    await draft.commit()
  }
  const started = performance.now()
  await save(group, undefined)
  const whole = performance.now() - started

  const authenticatedData = { timeMs: NOW_MS, seatsHash: new Uint8Array(32), manifests: [] }
  const staged = await stageCommit(group, { adds: [], removes: [], authenticatedData }, systemDice)
  const { next } = await mergeStaged(group, staged.next, NOW_MS)
  const sent = await sealMessage(group, new Uint8Array(256), new Uint8Array(), systemDice)
  const row = {
    'store: write whole': whole,
    'store: restore': await median(() => loadGroup(store, CHANNEL, group.signer)),
    'store: write a commit': await median(() => save(next, group)),
    'store: write a message': await median(() => save(sent.next, group), 21),
    'store: rows': encodeGroup(group).put.length,
  }
  for (const name of [place, `${place}-keys`]) indexedDB.deleteDatabase(name)
  return row
}
