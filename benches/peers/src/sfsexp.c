/* The client of sfsexp: counts what its event parser tells. */

#include <sexp.h>
#include <stdint.h>
#include <stddef.h>

/* As in Rust. */
struct count {
    uint64_t lexemes, lists, bytes;
};

static _Thread_local struct count count;

static void open_list(void) {
    count.lexemes++;
    count.lists++;
    count.bytes++;
}

static void close_list(void) {
    count.lexemes++;
    count.bytes++;
}

/* The length of an atom counts the zero byte after it. */
static void atom(const char *data, size_t length, atom_t kind) {
    (void)data;
    (void)kind;
    count.lexemes++;
    count.bytes += length - 1;
}

/* Reads `length` bytes, the last of which is white space, and which a zero byte follows. Returns 0, or what is wrong. */
int sfsexp_count(char *text, size_t length, struct count *result) {
    parser_event_handlers_t handlers = {open_list, close_list, atom, NULL};
    pcont_t *parser = init_continuation(text);
    if (parser == NULL)
        return SEXP_ERR_MEMORY;
    parser->mode = PARSER_EVENTS_ONLY;
    parser->event_handlers = &handlers;
    parser->error = SEXP_ERR_OK;
    parser->last_sexp = NULL;
    count = (struct count){0, 0, 0};
    /* It stops after each of the outermost forms, and says where. */
    char *at = text;
    while (at < text + length) {
        cparse_sexp(text, length, parser);
        if (parser->error != SEXP_ERR_OK || parser->lastPos == NULL)
            break;
        at = parser->lastPos;
    }
    int error = parser->depth > 0 ? SEXP_ERR_INCOMPLETE : parser->error == SEXP_ERR_INCOMPLETE ? 0 : parser->error;
    parser->event_handlers = NULL;
    destroy_continuation(parser);
    *result = count;
    return error;
}
