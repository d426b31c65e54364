// Saturation campaign: every node sends random messages as fast as they are taken, and a scoreboard keeps the books.

#include "driver.h"
#include "design.h"
#include "registers.h"

static const unsigned NODES = 1u << DIM, BROADCAST = NODES - 1, REASONS = 16;
static const uint64_t ALL = ones(NODES), DATA_MASK = ones(WIDTH);

static const unsigned MOOD = 300;     // cycles between changes of the ejection ports' moods, on average
static const unsigned SEASON = 3000;  // cycles between changes of the rate of faults, on average
static const unsigned SKEW = 4;       // cycles by which the two ends of a link are told at different times, at most
static const unsigned QUIET = 200;    // cycles in which nothing comes any more, at the end

struct Options {
    std::string faults = "none", stalls = "random";
    uint64_t messages = 10000, seed = 1, patience = 10000;
    unsigned unicast = 4, multicast = 4, listed = 1, broadcast = 1;
    double malformed = 0;
};

// What a processor sends, and who is to get it.
struct Message {
    uint64_t to = 0, begun = 0, latest = 0;
    uint32_t length = 0;  // payload words that arrive
    uint8_t reason = NONE;
    bool error = false, spread = false;
};

struct Item {
    uint64_t data;
    bool last, error;
};

// Word i of the payload of a source's message: the first one names the message, and none is 0.
static uint64_t payload(unsigned source, uint64_t number, unsigned i)
{
    if (i == 0) return ((number + 1) << DIM | source) & DATA_MASK;
    const uint64_t word = Random::mix(((uint64_t)source << 56) + (number << 16) + i) & DATA_MASK;
    return word ? word : 1;
}

// What is owed, by destination, and what became of it.
struct Books {
    bool live = false;
    uint64_t faulty = 0;
    std::vector<Message> sent[NODES];
    uint64_t checked[NODES] = {};                        // messages of a source that need not be looked at any more
    int64_t owed[NODES] = {}, all_owed = 0;              // deliveries, or reports with this address
    int64_t empty[NODES][2][NODES] = {};                 // of these, without payload: by error and source if it is told
    int64_t owed_reports[NODES][REASONS] = {}, all_owed_reports = 0;
    uint64_t injected[NODES] = {}, delivered[NODES] = {}, words[NODES] = {}, reported[NODES][REASONS] = {};
    uint64_t cut_off = 0, longest = 0, recognised = 0;
    double latencies = 0;

    static unsigned teller(unsigned source) { return FAULT_TOLERANT && !SOURCE_FIELD ? 0 : source; }

    void inject(unsigned source, const Message &message)
    {
        if (message.reason) owed_reports[source][message.reason]++, all_owed_reports++;
        for (unsigned node = 0; node < NODES; node++)
            if (message.to >> node & 1) {
                owed[node]++, all_owed++;
                if (!message.length) empty[node][message.error][teller(source)]++;
            }
        sent[source].push_back(message);
    }

    void settle(unsigned node, const char *what)
    {
        if (!owed[node]) fail("wrong", "node %u %s, which is more than was sent to it", node, what);
        owed[node]--, all_owed--;
    }

    void deliver(unsigned node, const std::vector<uint64_t> &got, bool error, uint64_t clock)
    {
        const unsigned head = 1 + SOURCE_FIELD;
        if (got.size() < head) fail("wrong", "node %u got a message without a header", node);
        for (unsigned i = 0; i < head; i++)
            if (got[i] >> DIM) fail("wrong", "node %u got a header word %#" PRIx64, node, got[i]);
        settle(node, "got a message");
        delivered[node]++;
        const unsigned told = teller(got[head - 1]);
        if (got.size() == head) {
            if (empty[node][error][told]-- == 0)
                fail("wrong", "node %u got a message without payload that nobody sent to it", node);
            return;
        }
        if (live && error && got.size() == head + 1 && !got[head]) {
            // Cut off before the word that would tell which message it was.
            cut_off++;
            return;
        }
        const unsigned source = got[head] & (NODES - 1);
        const uint64_t number = (got[head] >> DIM) - 1;
        if (number >= sent[source].size())
            fail("wrong", "node %u got %#" PRIx64 ", which nobody sent", node, got[head]);
        Message &message = sent[source][number];
        const std::string which = "message " + std::to_string(number) + " of node " + std::to_string(source);
        if (!(message.to >> node & 1))
            fail("wrong", "node %u got %s, which is not for it or which it had", node, which.c_str());
        if (told != teller(source)) fail("wrong", "node %u got %s as one of node %u", node, which.c_str(), told);
        if (FAULT_TOLERANT && !message.spread && got[0])
            fail("wrong", "node %u got %s with control vector %#" PRIx64, node, which.c_str(), got[0]);
        const unsigned length = got.size() - head;
        bool same = length <= message.length;
        for (unsigned i = 1; i < length - 1 && same; i++) same = got[head + i] == payload(source, number, i);
        const uint64_t end = got.back();
        if (same && length == message.length && end == payload(source, number, length - 1) && error == message.error) {
            // Complete.
        } else if (same && live && error && !end) {
            cut_off++;
        } else {
            fail("wrong", "node %u got %s with a wrong payload: %u words of %u, error %d", node, which.c_str(), length,
                 message.length, error);
        }
        message.to &= ~((uint64_t)1 << node);
        message.latest = clock;
        longest = std::max(longest, clock - message.begun);
        if (!message.to) latencies += clock - message.begun, recognised++;
    }

    void report(unsigned node, unsigned reason, unsigned destination)
    {
        if (reason == NONE || reason >= REASON_COUNT)
            fail("wrong", "node %u reports reason %u, which there is not", node, reason);
        reported[node][reason]++;
        if (reason == COPY_CUT || reason == INPUT_CUT) {
            if (!live) fail("wrong", "node %u reports %s, but no link was cut", node, REASON_NAMES[reason]);
        } else if (reason < UNDELIVERABLE) {
            if (!owed_reports[node][reason])
                fail("wrong", "node %u reports %s without cause", node, REASON_NAMES[reason]);
            owed_reports[node][reason]--, all_owed_reports--;
        } else {
            if (!live && !(faulty >> destination & 1))
                fail("wrong", "node %u reports that %u is %s, and it is not", node, destination, REASON_NAMES[reason]);
            settle(destination, "was reported");
        }
    }

    bool settled() const { return !all_owed && !all_owed_reports; }

    // Everything is settled: nobody else than a faulty node may have missed a message.
    void check()
    {
        if (live) return;
        for (unsigned node = 0; node < NODES; node++)
            for (auto &counts : empty[node])
                for (int64_t &count : counts) {
                    if (count && !(faulty >> node & 1))
                        fail("wrong", "node %u did not get a message without payload, but another one twice", node);
                    count = 0;
                }
        for (unsigned source = 0; source < NODES; source++)
            for (; checked[source] < sent[source].size(); checked[source]++) {
                const Message &message = sent[source][checked[source]];
                if (message.length && message.to & ~faulty)
                    fail("wrong", "message %" PRIu64 " of node %u did not get to nodes %#" PRIx64 ", another one did",
                         checked[source], source, message.to & ~faulty);
            }
    }

    std::string debts() const
    {
        std::string text;
        char part[200];
        for (unsigned node = 0; node < NODES && text.size() < 900; node++) {
            if (owed[node]) {
                snprintf(part, sizeof part, " node %u: %" PRId64 " messages;", node, owed[node]);
                text += part;
            }
            for (unsigned reason = 0; reason < REASON_COUNT; reason++)
                if (const int64_t count = owed_reports[node][reason]) {
                    snprintf(part, sizeof part, " by node %u: %" PRId64 " reports %s;", node, count,
                             REASON_NAMES[reason]);
                    text += part;
                }
        }
        // With faults that come and go nobody knows which messages the reports have been about.
        if (live) return text;
        std::vector<std::pair<uint64_t, std::string>> open;
        for (unsigned source = 0; source < NODES; source++)
            for (uint64_t number = checked[source]; number < sent[source].size(); number++) {
                const Message &message = sent[source][number];
                if (!message.to || !message.length || !message.begun) continue;
                snprintf(part, sizeof part, " message %" PRIu64 " of node %u, begun in cycle %" PRIu64 ", to nodes %#"
                         PRIx64 ";", number, source, message.begun, message.to);
                open.push_back({message.begun, part});
            }
        std::sort(open.begin(), open.end());
        if (!open.empty()) {
            text += " oldest:";
            for (unsigned i = 0; i < open.size() && i < 5; i++) text += open[i].second;
        }
        return text;
    }
};

// Links and nodes that fail and are repaired: at one end or both, in the same cycle or a few apart.
struct Faults {
    Random &random;
    unsigned marks[NODES][DIM] = {};
    struct Step { unsigned node, dimension; int change; };
    std::vector<Step> planned[4096];
    uint64_t coming = 0, failures = 0;
    double rate = 0;

    explicit Faults(Random &random) : random(random) {}

    void plan(uint64_t clock, Step step) { planned[clock % 4096].push_back(step), coming++; }

    void fail_somewhere(uint64_t clock)
    {
        static const unsigned LASTING[] = {1, 1, 2, 5, 20, 60, 200, 800};
        const unsigned node = random.below(NODES), dimension = random.below(DIM);
        const unsigned lasting = random.range(1, 2 * LASTING[random.below(8)] - 1), skew = random.below(2) * SKEW;
        auto end = [&](unsigned node, unsigned dimension) {
            const uint64_t begin = clock + 1 + random.range(0, skew);
            plan(begin, {node, dimension, 1});
            plan(begin + lasting + random.range(0, skew), {node, dimension, -1});
        };
        failures++;
        switch (random.below(4)) {
        case 0:  // a node: its neighbours are told
            for (unsigned d = 0; d < DIM; d++) end(node ^ 1u << d, d);
            break;
        case 1:
            end(node, dimension);
            break;
        default:
            end(node, dimension), end(node ^ 1u << dimension, dimension);
        }
    }

    // Nodes whose FAULT registers are written in this cycle.
    uint64_t next(uint64_t clock, bool more)
    {
        static const double RATES[] = {0, 0.003, 0.01, 0.05};
        if (random.below(SEASON) == 0 || clock == 0) rate = RATES[random.below(4)];
        if (more && random.chance(rate)) fail_somewhere(clock);
        uint64_t written = 0;
        auto &steps = planned[clock % 4096];
        for (const Step &step : steps) {
            marks[step.node][step.dimension] += step.change;
            written |= (uint64_t)1 << step.node;
        }
        coming -= steps.size();
        steps.clear();
        return written;
    }

    unsigned vector(unsigned node) const
    {
        unsigned value = 0;
        for (unsigned d = 0; d < DIM; d++) value |= (unsigned)(marks[node][d] > 0) << d;
        return value;
    }
};

struct Campaign {
    const Options &options;
    Random random;
    Simulation network;
    Books books;
    Faults faults;
    Movement movement;
    uint64_t clocks = 0, told_faults = 0, left = 0, made = 0, stalled = 0;
    uint64_t written = 0;  // nodes with a write at the control port in the coming cycle
    unsigned ready = 0;
    double begun = 0, told = 0;
    struct Source {
        std::vector<Item> words;
        size_t next = 0;
    } sources[NODES];
    std::vector<uint64_t> coming[NODES];

    explicit Campaign(const Options &options) : options(options), random(options.seed), faults(random)
    {
        books.live = options.faults == "live";
        network.settle(), network.edge();
    }

    static double now() { return seconds_of(CLOCK_MONOTONIC); }

    void inject(unsigned node, bool valid, uint64_t data, bool last, bool error)
    {
        network.set(ports::inject_valid, node, valid);
        network.set(ports::inject_data, node, data);
        network.set(ports::inject_last, node, last);
        network.set(ports::inject_error, node, error);
    }

    void control(unsigned node, unsigned address, bool write, uint32_t data)
    {
        network.set(ports::control_address, node, address);
        network.set(ports::control_write, node, write);
        network.set(ports::control_write_data, node, data);
    }

    // A payload length: none, one, as many as there may be, or any.
    unsigned length()
    {
        const unsigned way = random.below(8);
        return MAX_DATA == 0 || way == 0 ? 0 : way == 1 ? 1 : way == 2 ? MAX_DATA : random.range(1, MAX_DATA);
    }

    // A k field for a message of random kind, by the weights of the options.
    unsigned any_k()
    {
        const unsigned multicast = MAX_DEST > 1 ? options.multicast : 0;
        const unsigned listed = MAX_LIST > MAX_DEST ? options.listed : 0;
        uint64_t way = random.below(options.unicast + multicast + listed + options.broadcast);
        if (way < options.unicast) return 1;
        if ((way -= options.unicast) < multicast) return random.below(4) ? random.range(2, MAX_DEST) : MAX_DEST;
        if ((way -= multicast) < listed) return random.range(MAX_DEST + 1, MAX_LIST);
        return BROADCAST;
    }

    // A new message of this node: its words and the entry in the books.
    void make(unsigned node)
    {
        Source &source = sources[node];
        Message message;
        const uint64_t number = books.sent[node].size();
        unsigned k = any_k(), words = length();
        if (random.chance(options.malformed)) {
            message.reason = random.range(K_ZERO, DATA_TOO_LONG);
            if (message.reason == LIST_TOO_LONG && MAX_LIST + 1 == BROADCAST) message.reason = HEADER_SHORT;
            if (message.reason == ADDRESS_BITS && WIDTH == DIM) message.reason = K_ZERO;
            if (message.reason == K_ZERO) k = 0;
            if (message.reason == LIST_TOO_LONG) k = random.range(MAX_LIST + 1, BROADCAST - 1);
            if (message.reason == DATA_TOO_LONG) words = MAX_DATA + random.range(1, 3);
        }
        message.spread = k > MAX_DEST;
        std::vector<uint64_t> list{k};
        if (k == BROADCAST) {
            message.to = ALL & ~((uint64_t)1 << node);
        } else {
            // The same destination twice is told apart from once only where nothing is reported by address.
            const bool distinct = options.faults != "none" || random.below(4);
            while (list.size() < k + 1) {
                const unsigned to = random.below(NODES);
                if (distinct && message.to >> to & 1) continue;
                message.to |= (uint64_t)1 << to;
                list.push_back(to);
            }
        }
        if (FAULT_TOLERANT) list.push_back(message.spread ? NODES - 1 : 0);
        if (!FAULT_TOLERANT || SOURCE_FIELD) list.push_back(node);
        if (message.reason == HEADER_SHORT) list.resize(random.range(1, list.size() - 1)), words = 0;
        if (message.reason == ADDRESS_BITS)
            list[random.below(list.size())] |= (uint64_t)1 << random.range(DIM, WIDTH > DIM ? WIDTH - 1 : DIM);
        for (unsigned i = 0; i < words; i++) list.push_back(payload(node, number, i));
        message.error = random.below(5) == 0;
        source.words.clear(), source.next = 0;
        for (size_t i = 0; i < list.size(); i++) {
            const bool last = i == list.size() - 1;
            source.words.push_back({list[i], last, last ? message.error : random.below(2) != 0});
        }
        message.length = std::min(words, (unsigned)MAX_DATA);
        if (message.reason == DATA_TOO_LONG) message.error = true;
        else if (message.reason) message.to = 0;
        books.inject(node, message);
    }

    // Ejection ports that are ready: all, a part in each cycle, or all but one for a while.
    uint64_t ready_nodes()
    {
        if (options.stalls == "none") return ALL;
        if (random.below(MOOD) == 0) {
            ready = random.below(8);
            stalled = random.below(6) ? 0 : (uint64_t)1 << random.below(NODES);
        }
        uint64_t nodes = ALL;
        if (ready == 1) nodes = random.next() | random.next();
        if (ready == 2) nodes = random.next();
        if (ready == 3) nodes = random.next() & random.next();
        return nodes & ~stalled & ALL;
    }

    void clock()
    {
        uint64_t offered = 0;
        for (unsigned node = 0; node < NODES; node++) {
            Source &source = sources[node];
            if (source.next == source.words.size() && left && !(books.faulty >> node & 1)) left--, made++, make(node);
            const bool valid = source.next < source.words.size();
            if (valid) {
                const Item &word = source.words[source.next];
                inject(node, true, word.data, word.last, word.error);
                offered |= (uint64_t)1 << node;
            } else {
                const uint64_t noise = random.next();
                inject(node, false, noise & DATA_MASK, noise >> 62 & 1, noise >> 63);
            }
        }
        const uint64_t ready = ready_nodes();
        network.assign(ports::eject_ready, ready);
        if (books.live) {
            const uint64_t nodes = faults.next(clocks, left), changed = nodes | written;
            for (unsigned node = 0; node < NODES; node++)
                if (changed >> node & 1) control(node, router::FAULT, nodes >> node & 1, faults.vector(node));
            if (nodes) told_faults = clocks;
            written = nodes;
        }
        network.settle();
        const uint64_t taken = offered & network.all(ports::inject_ready);
        const uint64_t ejected = ready & network.all(ports::eject_valid), reports = network.all(ports::report_valid);
        const uint64_t last = network.all(ports::eject_last), error = network.all(ports::eject_error);
        for (uint64_t rest = taken; rest; rest &= rest - 1) {
            const unsigned node = __builtin_ctzll(rest);
            Source &source = sources[node];
            if (source.next++ == 0) books.injected[node]++, books.sent[node].back().begun = clocks;
        }
        for (uint64_t rest = ejected; rest; rest &= rest - 1) {
            const unsigned node = __builtin_ctzll(rest);
            books.words[node]++;
            coming[node].push_back(network.item(ports::eject_data, node));
            if (last >> node & 1) {
                books.deliver(node, coming[node], error >> node & 1, clocks);
                coming[node].clear();
            } else if (coming[node].size() > MAX_DATA + 2) {
                fail("wrong", "node %u got a message of more than %u payload words", node, MAX_DATA);
            }
        }
        for (uint64_t rest = reports; rest; rest &= rest - 1) {
            const unsigned node = __builtin_ctzll(rest);
            books.report(node, network.item(ports::report_reason, node),
                         network.item(ports::report_destination, node));
        }
        if (taken | ejected | reports) movement.last = clocks;
        network.edge();
        clocks++;
    }

    bool sending() const
    {
        if (left) return true;
        for (const Source &source : sources)
            if (source.next < source.words.size()) return true;
        return false;
    }

    void progress(double period)
    {
        const double time = now();
        if (time - told < period) return;
        told = time;
        fprintf(stderr, "saturation: %" PRIu64 " of %" PRIu64 " messages, cycle %" PRIu64 ", %.0f s\n", made,
                options.messages, clocks, time - begun);
    }

    // Send so many messages and wait until everything has become of them.
    void round(uint64_t messages)
    {
        left = messages;
        while (sending() || !books.settled() || faults.coming ||
               clocks - std::max(movement.last, told_faults) < QUIET) {
            clock();
            if (movement.ended(clocks, options.patience) && (sending() || !books.settled())) {
                unsigned waiting = 0;
                for (const Source &source : sources) waiting += source.next < source.words.size();
                fail("standstill", "no word has moved for %" PRIu64 " cycles, %u processors cannot send; owed:%s",
                     options.patience, waiting, books.debts().c_str());
            }
            if (clocks % 1024 == 0) progress(10);
        }
        if (const uint64_t open = network.all(ports::inject_ready); open != ALL)
            fail("wrong", "all is settled, and not all injection ports are ready: %#" PRIx64, open);
        for (unsigned node = 0; node < NODES; node++)
            if (!coming[node].empty()) fail("wrong", "node %u got a message without an end", node);
        books.check();
    }

    // A read of a register of all nodes.
    std::vector<uint64_t> read(unsigned address)
    {
        std::vector<uint64_t> values;
        for (unsigned node = 0; node < NODES; node++) control(node, address, false, 0);
        clock();
        clock();
        for (unsigned node = 0; node < NODES; node++) values.push_back(network.item(ports::control_read_data, node));
        return values;
    }

    void expect(unsigned address, const char *name, const std::vector<uint64_t> &wanted)
    {
        const std::vector<uint64_t> found = read(address);
        for (unsigned node = 0; node < NODES; node++)
            if (found[node] != wanted[node])
                fail("wrong", "node %u counts %" PRIu64 " %s, not %" PRIu64, node, found[node], name, wanted[node]);
    }

    // A counter of COUNTERS bits, which wraps; without counters 0 is read.
    void count(unsigned address, const char *name, std::vector<uint64_t> wanted)
    {
        for (uint64_t &value : wanted) value &= ((uint64_t)1 << COUNTERS) - 1;
        expect(address, name, wanted);
    }

    // The routers' own counters say the same.
    void counters()
    {
        std::vector<uint64_t> wanted(NODES), total(NODES);
        auto all = [&](const uint64_t *counts) { return std::vector<uint64_t>(counts, counts + NODES); };
        count(router::MESSAGES_IN + DIM, "messages injected", all(books.injected));
        count(router::MESSAGES_OUT + DIM, "messages delivered", all(books.delivered));
        count(router::WORDS_OUT + DIM, "words delivered", all(books.words));
        for (unsigned reason = 0; reason < REASONS; reason++) {
            for (unsigned node = 0; node < NODES; node++) total[node] += wanted[node] = books.reported[node][reason];
            count(router::REPORTS + reason, reason < REASON_COUNT ? REASON_NAMES[reason] : "unknown reports", wanted);
        }
        for (unsigned node = 0; node < NODES; node++)
            wanted[node] = LOG_DEPTH && total[node] > LOG_DEPTH ? total[node] - LOG_DEPTH : 0;
        count(router::LOG_LOST, "log entries lost", wanted);
        if (books.live) expect(router::CUT, "as links cut", std::vector<uint64_t>(NODES));
        for (unsigned d = 0; d < DIM && !books.live; d++) {
            const std::vector<uint64_t> out = read(router::MESSAGES_OUT + d);
            for (unsigned node = 0; node < NODES; node++) wanted[node] = out[node ^ 1u << d];
            count(router::MESSAGES_IN + d, "messages taken that its neighbour sent", wanted);
        }
    }

    // New faulty nodes, at most one beside each fault-free node; their neighbours are told.
    void break_nodes()
    {
        auto near = [](unsigned node, uint64_t faulty) {
            unsigned vector = 0;
            for (unsigned d = 0; d < DIM; d++) vector |= (unsigned)(faulty >> (node ^ 1u << d) & 1) << d;
            return vector;
        };
        books.faulty = 0;
        for (unsigned tries = random.range(1, NODES); tries; tries--) {
            const uint64_t trial = books.faulty | (uint64_t)1 << random.below(NODES);
            bool kept = __builtin_popcountll(trial) < (int)NODES - 1;
            for (unsigned node = 0; node < NODES; node++)
                kept &= trial >> node & 1 || __builtin_popcount(near(node, trial)) < 2;
            if (kept) books.faulty = trial;
        }
        for (unsigned node = 0; node < NODES; node++) control(node, router::FAULT, true, near(node, books.faulty));
        clock();
        for (unsigned node = 0; node < NODES; node++) control(node, router::FAULT, false, 0);
        for (unsigned i = 0; i < 4; i++) clock();
    }

    void run()
    {
        begun = told = now();
        const unsigned rounds = options.faults == "rule" ? 10 : 1;
        for (unsigned i = 0; i < rounds; i++) {
            if (options.faults == "rule") break_nodes();
            round(options.messages * (i + 1) / rounds - options.messages * i / rounds);
        }
        counters();
        told = 0, progress(0);
    }

    static uint64_t sum(const uint64_t *counts)
    {
        uint64_t total = 0;
        for (unsigned node = 0; node < NODES; node++) total += counts[node];
        return total;
    }

    void print(const Failure &failure)
    {
        Json line;
        line.add("outcome", failure.outcome).add("text", failure.text).add("messages", sum(books.injected));
        line.add("clocks", clocks).add("seconds", now() - begun, 1);
        line.add("deliveries", sum(books.delivered)).add("words", sum(books.words)).open("reports");
        for (unsigned reason = 0; reason < REASONS; reason++) {
            uint64_t total = 0;
            for (unsigned node = 0; node < NODES; node++) total += books.reported[node][reason];
            if (total) line.add(reason < REASON_COUNT ? REASON_NAMES[reason] : "?", total);
        }
        line.close().add("cut_off", books.cut_off).add("failures", faults.failures);
        line.add("largest_latency", books.longest);
        line.add("mean_latency", books.recognised ? books.latencies / books.recognised : 0, 1);
        line.print();
    }
};

// Arguments: the members of Options. Status: 0 drained, 1 not, 2 an unknown argument.
int main(int argc, char **argv)
{
    Options options;
    Arguments arguments;
    arguments.add("faults", options.faults).add("stalls", options.stalls).add("messages", options.messages);
    arguments.add("seed", options.seed).add("patience", options.patience).add("malformed", options.malformed);
    arguments.add("unicast", options.unicast).add("multicast", options.multicast);
    arguments.add("listed", options.listed).add("broadcast", options.broadcast);
    if (!arguments.take(argc, argv)) return 2;
    Campaign *campaign = new Campaign(options);
    const Failure failure = outcome_of(*campaign);
    campaign->print(failure);
    return failure.outcome != "drained";
}
