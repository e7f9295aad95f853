import { describe, expect, it } from 'vitest'
import { epochOf, exportSecret, members, openMessage } from '#core/mls/index.ts'
import {
  deviceOf,
  follow,
  groupOf,
  join,
  makeAccount,
  merge,
  openText,
  packageOf,
  restored,
  SUITES,
  say,
  stage,
  world,
} from './support.ts'

describe.each(SUITES)('$name', ({ suite }) => {
  it('[C-01] creates, adds, joins, talks both ways, updates and removes, restored after each step', async () => {
    const w = world(suite)
    const [ann, ben, cid] = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
    if (ann === undefined || ben === undefined || cid === undefined) throw new Error('unreachable')
    let [a, b] = (await groupOf(w, [ann, ben])).map(restored)
    if (a === undefined || b === undefined) throw new Error('unreachable')
    expect(members(a).map(({ role }) => role)).toEqual(['owner', 'member'])

    const hello = await say(w, a, 'hello')
    a = restored(hello.next)
    const heard = await openText(w, b, hello.message)
    expect(heard.text).toBe('hello')
    b = restored(heard.next)

    const made = await packageOf(w, deviceOf(cid))
    const adding = await stage(w, a, { adds: [made.keyPackage], manifests: [cid.manifest] })
    b = restored(await follow(w, b, adding.commit))
    a = restored(await merge(a, adding))
    let c = restored(await join(adding, made, deviceOf(cid)))
    expect(members(c)).toHaveLength(3)

    expect(adding.tree.length).toBeGreaterThan(0)

    const healing = await stage(w, c)
    expect(healing.tree).toHaveLength(0) // three megabytes at a thousand members, and nobody to read them (C-02)
    a = restored(await follow(w, a, healing.commit))
    b = restored(await follow(w, b, healing.commit))
    c = restored(await merge(c, healing))
    const back = await say(w, c, 'back')
    c = back.next
    expect((await openText(w, b, back.message)).text).toBe('back')
    const secrets = await Promise.all([a, b, c].map((group) => exportSecret(group, 'test', new Uint8Array(), 32)))
    expect(new Set(secrets.map((secret) => secret.join())).size).toBe(1)

    const removing = await stage(w, a, { removes: [1] })
    const left = await openMessage(b, removing.commit, w.nowMs)
    expect(left).toMatchObject({ kind: 'commit', removedSelf: true })
    a = restored(await merge(a, removing))
    c = restored(await follow(w, c, removing.commit))
    expect(epochOf(a)).toBe(4)
    const after = await say(w, a, 'without ben')
    expect((await openText(w, c, after.message)).text).toBe('without ben')
    await expect(openMessage(b, after.message, w.nowMs)).rejects.toThrow('mls/epoch-ahead')
    await expect(openMessage(left.next, after.message, w.nowMs)).rejects.toThrow('mls/removed')
  })
})

describe('[C-01] trees of odd shapes', () => {
  it('a group whose left half is gone, so that its root stays blank, goes on', async () => {
    const w = world()
    const accounts = await Promise.all(['ann', 'ben', 'cid', 'dan'].map((name) => makeAccount(name)))
    const [a, , c, d] = await groupOf(w, accounts, ['owner', 'member', 'owner', 'member'])
    if (!a || !c || !d) throw new Error('unreachable')
    const removing = await stage(w, c, { removes: [0, 1] })
    const healing = await stage(w, await merge(c, removing))
    const left = await merge(await merge(c, removing), healing)
    const right = restored(await follow(w, await follow(w, d, removing.commit), healing.commit))
    expect(left.state.ratchetTree[3]).toBeUndefined()
    const back = await stage(w, right)
    const said = await say(w, await merge(right, back), 'two of four')
    expect((await openText(w, await follow(w, left, back.commit), said.message)).text).toBe('two of four')
  })
})
